package dev.tallystick.cli.daemon;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The directory of this user's daemon, for commands that go through it if there is one. */
public final class DaemonDirectory {

    public static final String VARIABLE = "TALLY_DAEMON_DIR";

    private static final Path USUAL = Path.of(".tally", "daemon");

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "The daemon's directory (default: " + VARIABLE + ", else ~/.tally/daemon). " + "An empty "
                    + VARIABLE + " means no daemon.")
    private @Nullable Path directory;

    /** The directory, whether it exists or not; empty if the variable says so, or if the user has no home. */
    Optional<Path> path(Map<String, String> environment) {
        if (directory != null) {
            return Optional.of(directory);
        }
        String named = environment.get(VARIABLE);
        if (named != null) {
            return named.isEmpty() ? Optional.empty() : Optional.of(Path.of(named));
        }
        return Optional.ofNullable(environment.get("HOME"))
                .map(home -> Path.of(home).resolve(USUAL));
    }

    /** The options with which a command asks the server of the daemon itself, each with a space before it. */
    public static String connection(Path directory) {
        String token = DaemonCommand.remembered(directory, "token_file");
        return server(directory).map(server -> " --server " + server).orElse("")
                + (token == null ? "" : " --token-file " + token);
    }

    /** The server that the daemon delivers to, once it has been started. */
    public static Optional<String> server(Path directory) {
        return Optional.ofNullable(DaemonCommand.remembered(directory, "server"));
    }

    /** The directory, if it exists. One that was named must exist: otherwise the daemon would be bypassed by mistake. */
    public Optional<Path> existing(Map<String, String> environment) {
        Optional<Path> path = path(environment);
        boolean isThere = path.filter(Files::isDirectory).isPresent();
        boolean isNamed = directory != null || environment.get(VARIABLE) != null;
        if (path.isPresent() && !isThere && isNamed) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "there is no directory " + path.get(),
                    "Name the daemon's directory with --dir or " + VARIABLE + "; set " + VARIABLE
                            + "= to go without a daemon.");
        }
        return path.filter(there -> isThere);
    }
}
