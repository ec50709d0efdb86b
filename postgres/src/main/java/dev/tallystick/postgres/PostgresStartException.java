package dev.tallystick.postgres;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server cannot start, and a retry will not help: an operator must read the message, which says what to do. */
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
                        : message + "\nThe server's last log lines:\n  " + String.join("\n  ", logLines),
                cause);
        this.logLines = List.copyOf(logLines);
    }

    /** The server's log output during the attempt, at most the last few lines. */
    public List<String> logLines() {
        return logLines;
    }
}
