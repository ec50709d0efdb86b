package dev.tallystick.testkit;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads one client's messages, and recognises the one that executes a COMMIT. A simple query carries its text; in the extended
 * protocol Parse binds the text to a statement name, Bind the statement to a portal name, Execute names the portal, and there
 * may be long gaps between them. Unnamed ones have the empty name.
 */
final class CommitSpotter {

    private final Map<String, Sql> statements = new HashMap<>();
    private final Map<String, Sql> portals = new HashMap<>();
    private final Set<String> executed = new LinkedHashSet<>();

    /** Records a message; true if it makes the server commit. */
    boolean isCommit(WireMessage message) {
        switch (message.type()) {
            case 'Q' -> {
                return execute(Sql.of(message.string(0)));
            }
            case 'P' -> statements.put(message.string(0), Sql.of(message.string(1)));
            case 'B' -> portals.put(message.string(0), statements.getOrDefault(message.string(1), Sql.NOTHING));
            case 'E' -> {
                return execute(portals.getOrDefault(message.string(0), Sql.NOTHING));
            }
            default -> {}
        }
        return false;
    }

    /** The distinct texts executed since the last BEGIN. */
    Set<String> executed() {
        return Set.copyOf(executed);
    }

    private boolean execute(Sql sql) {
        if (sql.begins()) {
            executed.clear();
        }
        executed.add(sql.text());
        return sql.commits();
    }

    /** A text and its effect, computed once: a prepared statement may be executed thousands of times. */
    private record Sql(String text, boolean begins, boolean commits) {

        static final Sql NOTHING = new Sql("", false, false);

        private static final Pattern BEGIN =
                Pattern.compile("(begin|start\\s+transaction)\\b", Pattern.CASE_INSENSITIVE);
        private static final Pattern COMMIT = Pattern.compile(
                "(commit|end)(\\s+(work|transaction))?(\\s+and\\s+(no\\s+)?chain)?", Pattern.CASE_INSENSITIVE);

        static Sql of(String text) {
            return new Sql(
                    text,
                    BEGIN.matcher(text).lookingAt(),
                    Arrays.stream(text.split(";"))
                            .anyMatch(part -> COMMIT.matcher(part.strip()).matches()));
        }
    }
}
