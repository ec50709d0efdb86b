package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * A second JVM with the class path of this one, to be killed for real. Its output arrives here line by line:
 *
 * <pre>{@code
 * try (ChildJvm child = ChildJvm.of(Writer.class).haltingAt(BEFORE_COMMIT).start(jdbcUrl)) {
 *     child.awaitLine("ready"::equals);
 *     assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
 * }
 * }</pre>
 *
 * <p>It never outlives its test: closing kills it, and it halts when its standard input ends, which happens however this JVM
 * dies. Standard error is merged into standard output, so that a failed wait can show the child's last output.
 */
public final class ChildJvm implements AutoCloseable {

    private static final int LAST_WORDS = 30;

    private final Process process;
    private final Thread reader;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private int awaited;
    private boolean ended;

    private ChildJvm(Process process) {
        this.process = process;
        this.reader = Thread.ofVirtual().name("lines of child " + process.pid()).unstarted(this::readLines);
    }

    public static Plan of(Class<?> mainClass) {
        return new Plan(mainClass, List.of(), System.getProperty("java.class.path"));
    }

    /** A child that has not been started. */
    public record Plan(Class<?> mainClass, List<String> jvmArguments, String classPath) {

        public Plan with(String jvmArgument) {
            List<String> more = new ArrayList<>(jvmArguments);
            more.add(jvmArgument);
            return new Plan(mainClass, List.copyOf(more), classPath);
        }

        /**
         * As this, but starts twice as fast. The main class runs once with these arguments, which must make it end, and the
         * classes that it loads are archived in the directory. This takes seconds, and pays off from about ten children on.
         */
        public Plan rehearsed(Path directory, String... arguments) {
            return Rehearsal.of(this, directory, arguments);
        }

        /** Halts on first reaching the point, if the main class uses {@link HaltAt#configured()}. */
        public Plan haltingAt(CrashPoint point) {
            return haltingAt(point, 1);
        }

        public Plan haltingAt(CrashPoint point, int arrival) {
            return with("-D" + HaltAt.POINT + "=" + PointName.of(point)).with("-D" + HaltAt.ARRIVAL + "=" + arrival);
        }

        public ChildJvm start(String... arguments) {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            // A child lives for seconds: optimisations for long runs only slow its start.
            command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
            command.addAll(jvmArguments);
            command.addAll(List.of("-cp", classPath));
            command.addAll(List.of(ChildMain.class.getName(), mainClass.getName()));
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            ChildMain.passArguments(arguments, builder.environment());
            try {
                ChildJvm child = new ChildJvm(builder.start());
                child.reader.start();
                return child;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for the next matching line, after the one that the last call returned. */
    public String awaitLine(Predicate<String> matching) {
        return awaitLine(matching, Patience.limit());
    }

    public String awaitLine(Predicate<String> matching, Duration limit) {
        lock.lock();
        try {
            long left = limit.toNanos();
            while (true) {
                while (awaited < lines.size()) {
                    String line = lines.get(awaited++);
                    if (matching.test(line)) {
                        return line;
                    }
                }
                if (ended || left <= 0) {
                    throw new AssertionError((ended ? "it ended without" : "waited " + Patience.inWords(limit) + " for")
                            + " a line that matches; its last output: " + lastWords());
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for a line of the child", e);
        } finally {
            lock.unlock();
        }
    }

    /** Everything printed so far; after {@link #awaitExit()}, everything it ever printed. */
    public List<String> lines() {
        lock.lock();
        try {
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the process is gone and its output has been read to the end. */
    public int awaitExit() {
        Patience.await("the child to exit", Patience.limit(), process::waitFor);
        Patience.await(
                "the child's output to end (a process that the child started may still hold it open)",
                Patience.limit(),
                (amount, unit) -> reader.join(Duration.of(amount, unit.toChronoUnit())));
        return process.exitValue();
    }

    /** {@code kill -9}. When this returns the process is gone. */
    public void kill() {
        // By its handle: Process.destroyForcibly() closes our end of its output, and its last lines would be lost.
        process.toHandle().destroyForcibly();
        awaitExit();
    }

    /** {@code kill -STOP}: no thread of the child runs until {@link #resume()}, and its leases expire. */
    public void pause() {
        signal("STOP");
        Path threads = Path.of("/proc", Long.toString(pid()), "task");
        if (Files.exists(threads)) {
            Eventually.holds("every thread of child " + pid() + " to stop", () -> allStopped(threads));
        }
    }

    /** A thread on another core stops only when the signal reaches it there. */
    private static boolean allStopped(Path threads) throws IOException {
        try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
            for (Path thread : each) {
                if (!Files.readString(thread.resolve("stat")).contains(") T ")) {
                    return false;
                }
            }
            return true;
        }
    }

    /** {@code kill -CONT}. */
    public void resume() {
        signal("CONT");
    }

    /** Kills the child and the processes that it started and that still run. */
    @Override
    public void close() {
        List<ProcessHandle> started = process.descendants().toList();
        process.destroyForcibly();
        started.forEach(ProcessHandle::destroyForcibly);
        Patience.await("the child to exit", Patience.limit(), process::waitFor);
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid()).start();
            Patience.await("kill -" + name, Patience.limit(), kill::waitFor);
            if (kill.exitValue() != 0) {
                throw new IllegalStateException("kill -" + name + " found no child " + pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readLines() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                String read = line;
                change(() -> lines.add(read));
            }
        } catch (IOException e) {
            change(() -> lines.add("(reading on failed: " + e + ")"));
        } finally {
            change(() -> ended = true);
        }
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private String lastWords() {
        return String.join("\n  ", lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size()));
    }
}
