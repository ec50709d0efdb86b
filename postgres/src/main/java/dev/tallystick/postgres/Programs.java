package dev.tallystick.postgres;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs the programs of the server: with a clean environment, with their output in the log, and never as root.
 *
 * <p>Postgres refuses to run as root. For root, the programs run in a user namespace in which root is an ordinary user: they
 * own root's files and have none of root's powers.
 */
final class Programs {

    private static final List<String> AS_NOBODY = List.of("unshare", "--user");

    private final Binaries binaries;
    private final Layout layout;
    private final List<String> prefix;

    private Programs(Binaries binaries, Layout layout, List<String> prefix) {
        this.binaries = binaries;
        this.layout = layout;
        this.prefix = prefix;
    }

    static Programs of(Binaries binaries, Layout layout) {
        if (!PrivateFiles.weAreRoot()) {
            return new Programs(binaries, layout, List.of());
        }
        requireUserNamespaces();
        return new Programs(binaries, layout, AS_NOBODY);
    }

    Process initdb(List<String> arguments) {
        return run(prefix, binaries.initdb(), arguments);
    }

    /**
     * The server gets its own session where the system supports it: Ctrl-C in a terminal reaches every foreground process, and
     * must not stop the database before we have released it.
     */
    Process postgres(Path data) {
        List<String> words = new ArrayList<>();
        if (isOnPath("setsid")) {
            words.add("setsid");
        }
        words.addAll(prefix);
        return run(words, binaries.postgres(), List.of("-D", data.toString()));
    }

    private Process run(List<String> before, Path program, List<String> arguments) {
        List<String> command = new ArrayList<>(before);
        command.add(program.toString());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(layout.root().toFile())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(layout.logFile().toFile()));
        // Inherit nothing: PGOPTIONS or PGDATA would change the server, and it does not need other variables.
        Map<String, String> environment = builder.environment();
        String path = searchPath();
        environment.clear();
        environment.put("PATH", path);
        environment.put("LC_ALL", "C");
        try {
            return builder.start();
        } catch (IOException cannotRun) {
            throw new PostgresStartException(
                    "Cannot run %s. It needs the GNU C library; if files are missing there, delete %s to unpack them again."
                                    .formatted(program, binaries.home())
                            + " Or use your own Postgres.",
                    cannotRun);
        }
    }

    private static void requireUserNamespaces() {
        boolean permitted;
        try {
            List<String> probe =
                    Stream.concat(AS_NOBODY.stream(), Stream.of("true")).toList();
            permitted = new ProcessBuilder(probe)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .onExit()
                            .join()
                            .exitValue()
                    == 0;
        } catch (IOException noUnshare) {
            permitted = false;
        }
        if (!permitted) {
            throw new PostgresStartException("""
                Postgres does not run as root, and this system does not let root step down by "unshare --user".
                Either start as an ordinary user (in a container: a USER line, or --user),
                or permit user namespaces (Docker: --security-opt seccomp=unconfined or --cap-add SYS_ADMIN),
                or use a Postgres of your own.\
                """);
        }
    }

    private static boolean isOnPath(String program) {
        return Stream.of(searchPath().split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private static String searchPath() {
        return System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
    }
}
