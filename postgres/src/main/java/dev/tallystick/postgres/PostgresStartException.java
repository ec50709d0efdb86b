package dev.tallystick.postgres;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server could not be started and will not be by trying again: a human has to read the message, which says what to do. */
public final class PostgresStartException extends EmbeddedPostgresException {

    private final List<String> logLines;

    PostgresStartException(String message) {
        this(message, List.of(), null);
    }

    PostgresStartException(String message, @Nullable Throwable cause) {
        this(message, List.of(), cause);
    }

    PostgresStartException(String message, List<String> logLines, @Nullable Throwable cause) {
        super(
                logLines.isEmpty()
                        ? message
                        : message + "\nThe server's last words:\n  " + String.join("\n  ", logLines),
                cause);
        this.logLines = List.copyOf(logLines);
    }

    /** What the server wrote to its log during the attempt, at most the last few lines. */
    public List<String> logLines() {
        return logLines;
    }
}
