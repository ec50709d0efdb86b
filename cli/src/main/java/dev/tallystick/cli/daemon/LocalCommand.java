package dev.tallystick.cli.daemon;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.local.LocalClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** Common to all commands about a daemon: its directory, and how to talk to it. */
abstract class LocalCommand extends TallyCommand {

    @Mixin
    private final DaemonDirectory daemon = new DaemonDirectory();

    final Path directory() {
        return daemon.path(environment())
                .orElseThrow(() -> new CommandFailed(
                        ExitCode.USAGE,
                        DaemonDirectory.VARIABLE + " is empty, which means no daemon, or there is no HOME",
                        "Pass its --dir."));
    }

    /** Asks the running daemon, and fails if it refuses. */
    final Json.ObjectValue ask(String method, String path, Json.@Nullable ObjectValue body) {
        LocalClient.Reply reply = reply(method, path, body);
        if (reply.status() >= 300) {
            Map<String, Json> problem = reply.json().members();
            ExitCode code = switch (reply.status()) {
                case 400, 413, 415 -> ExitCode.USAGE;
                case 404 -> ExitCode.NOT_FOUND;
                case 409 -> ExitCode.CONFLICT;
                default -> ExitCode.INTERNAL;
            };
            throw new CommandFailed(
                    code,
                    ServerConnection.words(problem.get("code")) + ": " + ServerConnection.words(problem.get("detail")),
                    "The daemon refused; nothing was changed.");
        }
        return reply.json();
    }

    final LocalClient.Reply reply(String method, String path, Json.@Nullable ObjectValue body) {
        try (LocalClient client = connect()) {
            return client.ask(method, path, body == null ? null : body.canonical(), Map.of());
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.UNAVAILABLE, "the daemon does not answer: " + e.getMessage(), "Run 'tally daemon logs'.");
        }
    }

    final LocalClient connect() {
        try {
            return LocalClient.to(directory());
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.NOT_FOUND,
                    "no daemon runs in " + directory(),
                    Files.isDirectory(directory()) ? "Start it: 'tally daemon start'." : "Pass its --dir.");
        }
    }

    final ExitCode answer(String text, Json.ObjectValue object) {
        return answer(text, new LinkedHashMap<>(object.members()));
    }
}
