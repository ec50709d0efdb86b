package dev.tallystick.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One server process in one data directory.
 *
 * <p>A process id alone proves nothing, because ids are reused. A process counts as the server of this directory only if it
 * runs the program {@code postgres} in this working directory.
 */
record Server(ProcessHandle process, Path data, int port, boolean adopted) {

    /** For a responsive server: it first writes everything out. */
    static final Duration ORDERLY = Duration.ofSeconds(60);

    /** For an unresponsive server: a shorter wait. */
    static final Duration BRIEF = Duration.ofSeconds(1);

    private static final Duration UNTIL_KILLED = Duration.ofSeconds(10);

    private static final Path PROC = Path.of("/proc");

    boolean isAlive() {
        return servesIn(process, data);
    }

    /** Stops it: politely, then firmly, then by force. Acknowledged data is safe with each of the three. */
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

    /** Stops it without writing anything out, for a server whose data is deleted with it. */
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

    /** Ends every server process in {@code data}, including those whose parent is already dead. */
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

    /** Also false for a zombie: it has left its directory, though its id stays taken until its parent reaps it. */
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

    // Without /proc we can only recognise the first process of a server; its children overwrite their arguments.
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

    // SIGTERM, the only signal that Java can send, would make the server wait for its clients to leave.
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
