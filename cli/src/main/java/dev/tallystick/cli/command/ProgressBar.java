package dev.tallystick.cli.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A progress bar on one terminal line, erased when done. Silent without a terminal. */
public final class ProgressBar implements AutoCloseable {

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

    /** Draws on standard error, if that is a terminal: standard output stays clean. */
    static ProgressBar onErrorOutput(PrintWriter err) {
        return new ProgressBar(isTerminal() ? err : null, System::nanoTime);
    }

    /** Work that ends before anyone could read the bar draws none. */
    public void report(String stage, long done, long total) {
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

    /** Java cannot tell for standard error alone; the shell can. */
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
