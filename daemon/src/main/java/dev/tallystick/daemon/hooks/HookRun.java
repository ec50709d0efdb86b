package dev.tallystick.daemon.hooks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One run of a hook.
 *
 * @param exitCode null if it did not start or did not end in time
 * @param trouble why it has no exit code; null if it has one
 * @param output what it printed, as far as that is kept
 */
record HookRun(@Nullable Integer exitCode, @Nullable String trouble, String output, Duration duration) {

    private static final int LONGEST_OUTPUT = 16 * 1024;

    /** What a hook finds in its environment, beside the event. */
    private static final String[] INHERITED = {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER"};

    /** Runs a program with an event on its standard input. */
    static HookRun of(Path program, Map<String, String> variables, String input, Duration limit)
            throws InterruptedException {
        long began = System.nanoTime();
        ProcessBuilder builder = new ProcessBuilder(program.toString())
                .redirectErrorStream(true)
                .directory(program.resolveSibling("").toFile());
        Map<String, String> environment = builder.environment();
        Map<String, String> ours = Map.copyOf(environment);
        environment.clear();
        for (String name : INHERITED) {
            String value = ours.get(name);
            if (value != null) {
                environment.put(name, value);
            }
        }
        environment.putAll(variables);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            return new HookRun(null, String.valueOf(e.getMessage()), "", since(began));
        }
        try {
            AtomicReference<String> output = new AtomicReference<>("");
            Thread reader = Thread.ofVirtual().start(() -> output.set(read(process.getInputStream())));
            Thread feeder = Thread.ofVirtual().start(() -> feed(process, input));
            boolean hasEnded = process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
            if (hasEnded) {
                boolean unused = reader.join(Duration.ofSeconds(1)) && feeder.join(Duration.ofSeconds(1));
            }
            return hasEnded
                    ? new HookRun(process.exitValue(), null, output.get(), since(began))
                    : new HookRun(null, "it ran longer than " + limit.toSeconds() + " s", output.get(), since(began));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** Keeps the beginning and reads on, so that the program is not held up. */
    private static String read(InputStream in) {
        try (in) {
            byte[] kept = in.readNBytes(LONGEST_OUTPUT);
            long unused = in.transferTo(OutputStream.nullOutputStream());
            return new String(kept, UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static void feed(Process process, String input) {
        try (OutputStream out = process.getOutputStream()) {
            out.write(input.getBytes(UTF_8));
        } catch (IOException e) {
            // A program need not read its input.
        }
    }
}
