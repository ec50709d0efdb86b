package dev.tallystick.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One server process at work in one data directory.
 *
 * <p>A process id alone proves nothing: ids are used again. A process counts as a server of this directory only if it runs
 * the program {@code postgres} and works in the directory.
 */
record Server(ProcessHandle process, Path data, int port, boolean adopted) {

    /** For a server that does as it is told: writes everything out first. */
    static final Duration ORDERLY = Duration.ofSeconds(60);

    /** For a server that did not answer: it is asked, but not for long. */
    static final Duration BRIEF = Duration.ofSeconds(1);

    private static final Duration UNTIL_KILLED = Duration.ofSeconds(10);

    private static final Path PROC = Path.of("/proc");

    boolean isAlive() {
        return servesIn(process, data);
    }

    /** Stops it: politely, then firmly, then by force. What was acknowledged is safe with each of the three. */
    void stop(Duration patience) {
        if (!isAlive()) {
            endAll(data);
            return;
        }
        signal("INT");
        if (Patience.until(() -> !isAlive(), patience)) {
            return;
        }
        signal("QUIT");
        if (Patience.until(() -> !isAlive(), BRIEF)) {
            return;
        }
        process.destroyForcibly();
        endAll(data);
    }

    /** Stops it with nothing written out, for a server whose data goes with it. */
    void drop() {
        if (isAlive()) {
            signal("QUIT");
            if (Patience.until(() -> !isAlive(), UNTIL_KILLED)) {
                return;
            }
            process.destroyForcibly();
        }
        endAll(data);
    }

    /** Ends every server process in {@code data}, also those whose parent is dead already. */
    static void endAll(Path data) {
        boolean ended = Patience.until(
                () -> {
                    List<ProcessHandle> remaining = ProcessHandle.allProcesses()
                            .filter(process -> servesIn(process, data))
                            .toList();
                    remaining.forEach(ProcessHandle::destroyForcibly);
                    return remaining.isEmpty();
                },
                UNTIL_KILLED);
        if (!ended) {
            throw new PostgresStartException(
                    "Processes of an old server in %s do not end, even when killed.".formatted(data));
        }
    }

    static boolean anyIn(Path data) {
        return ProcessHandle.allProcesses().anyMatch(process -> servesIn(process, data));
    }

    /** False for a zombie too: it has left its directory, though its id stays taken until somebody buries it. */
    static boolean servesIn(ProcessHandle process, Path data) {
        if (!Files.isDirectory(PROC)) {
            return process.isAlive() && isServerByItsCommandLine(process, data);
        }
        Path entry = PROC.resolve(Long.toString(process.pid()));
        try {
            return Files.readSymbolicLink(entry.resolve("exe"))
                            .getFileName()
                            .toString()
                            .startsWith("postgres")
                    && Files.isSameFile(entry.resolve("cwd"), data);
        } catch (IOException goneOrNotOurs) {
            return false;
        }
    }

    // Where there is no /proc only the first process of a server can be told; those it started write over their
    // arguments.
    private static boolean isServerByItsCommandLine(ProcessHandle process, Path data) {
        return process.info()
                        .command()
                        .filter(command -> command.endsWith("/postgres"))
                        .isPresent()
                && process.info()
                        .arguments()
                        .filter(words -> List.of(words).contains(data.toString()))
                        .isPresent();
    }

    // SIGTERM, all that Java itself can send, would make the server wait for its clients to leave.
    private void signal(String name) {
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -s \"$0\" \"$1\"", name, Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .onExit()
                    .join();
        } catch (IOException noShell) {
            throw new IllegalStateException("cannot run /bin/sh to stop the server " + process.pid(), noShell);
        }
    }
}
