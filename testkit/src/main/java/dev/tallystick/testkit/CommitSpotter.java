package dev.tallystick.testkit;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads what one client sends, and knows which message executes a COMMIT. A simple query carries its text; in the extended
 * protocol Parse binds the text to a statement's name, Bind the statement to a portal's name, Execute names the portal, and
 * each may come long before the next. An unnamed one has the empty name.
 */
final class CommitSpotter {

    private static final Pattern COMMIT = Pattern.compile(
            "(commit|end)(\\s+(work|transaction))?(\\s+and\\s+(no\\s+)?chain)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern BEGIN = Pattern.compile("(begin|start\\s+transaction)\\b.*", Pattern.CASE_INSENSITIVE);

    private final Map<String, String> textOfStatement = new HashMap<>();
    private final Map<String, String> textOfPortal = new HashMap<>();
    private final Set<String> executed = new LinkedHashSet<>();

    /** Takes note of a message; true if it makes the server commit. */
    boolean isCommit(WireMessage message) {
        return switch (message.type()) {
            case 'Q' -> execute(message.string(0));
            case 'P' -> remember(textOfStatement, message.string(0), message.string(1));
            case 'B' -> remember(textOfPortal, message.string(0), textOfStatement.getOrDefault(message.string(1), ""));
            case 'E' -> execute(textOfPortal.getOrDefault(message.string(0), ""));
            default -> false;
        };
    }

    /** The statements executed since the last BEGIN. */
    Set<String> executed() {
        return Set.copyOf(executed);
    }

    private static boolean remember(Map<String, String> texts, String name, String text) {
        texts.put(name, text);
        return false;
    }

    private boolean execute(String text) {
        if (BEGIN.matcher(text).lookingAt()) {
            executed.clear();
        }
        executed.add(text);
        return Arrays.stream(text.split(";"))
                .map(String::strip)
                .anyMatch(part -> COMMIT.matcher(part).matches());
    }
}
