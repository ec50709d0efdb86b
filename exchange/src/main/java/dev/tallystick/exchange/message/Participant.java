package dev.tallystick.exchange.message;

import java.util.regex.Pattern;

/** A party of the exchange, by the name on which the parties have agreed. */
public record Participant(String name) implements Comparable<Participant> {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?");

    public Participant {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a participant's name has at most 64 lower-case letters, digits, '.', '_' and"
                            + " '-', and a letter or digit at both ends; got '" + name + "'");
        }
    }

    @Override
    public int compareTo(Participant other) {
        return name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return name;
    }
}
