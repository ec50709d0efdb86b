package dev.tallystick.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One line on a terminal that shows how far something has come, gone when it is done. Silent without a terminal. */
final class ProgressBar implements AutoCloseable {

    private static final int WIDTH = 30;
    private static final Duration BETWEEN_DRAWINGS = Duration.ofMillis(100);
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final @Nullable PrintWriter terminal;
    private final LongSupplier nanos;
    private long lastDrawn;
    private boolean drawn;

    private ProgressBar(@Nullable PrintWriter terminal, LongSupplier nanos) {
        this.terminal = terminal;
        this.nanos = nanos;
        this.lastDrawn = nanos.getAsLong();
    }

    static ProgressBar silent() {
        return new ProgressBar(null, () -> 0);
    }

    static ProgressBar on(PrintWriter terminal, LongSupplier nanos) {
        return new ProgressBar(terminal, nanos);
    }

    /** On the error output, if that is a terminal: the answer goes elsewhere and stays clean. */
    static ProgressBar onErrorOutput(PrintWriter err) {
        return new ProgressBar(isTerminal() ? err : null, System::nanoTime);
    }

    /** What is over before anybody could read it is not drawn. */
    void report(String stage, long done, long total) {
        long now = nanos.getAsLong();
        if (terminal == null || now - lastDrawn < BETWEEN_DRAWINGS.toNanos()) {
            return;
        }
        lastDrawn = now;
        drawn = true;
        int filled = total <= 0 ? 0 : (int) (WIDTH * Math.min(done, total) / total);
        String bar = "#".repeat(filled) + " ".repeat(WIDTH - filled);
        terminal.print(CLEAR_LINE + stage + " [" + bar + "] " + done + " of " + total);
        terminal.flush();
    }

    @Override
    public void close() {
        if (terminal != null && drawn) {
            terminal.print(CLEAR_LINE);
            terminal.flush();
        }
    }

    /** The platform cannot tell for one output alone; the shell can. */
    private static boolean isTerminal() {
        try {
            Process test = new ProcessBuilder("sh", "-c", "test -t 2")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return test.onExit().join().exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
