package dev.tallystick.engine;

import java.util.List;

/** A graph that cannot be run. Says everything that is wrong with it, where, and what to do; nothing was registered. */
public final class InvalidGraphException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    InvalidGraphException(String graph, List<String> problems) {
        super("graph '" + graph + "' cannot be run: " + String.join("\n  ", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line for each thing that is wrong. */
    public List<String> problems() {
        return problems;
    }
}
