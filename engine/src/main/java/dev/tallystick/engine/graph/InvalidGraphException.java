package dev.tallystick.engine.graph;

import java.util.List;

/** A graph that cannot run. Lists every problem, where it is and how to fix it; nothing was registered. */
public final class InvalidGraphException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    InvalidGraphException(String graph, List<String> problems) {
        super("graph '" + graph + "' cannot be run: " + String.join("\n  ", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line per problem. */
    public List<String> problems() {
        return problems;
    }
}
