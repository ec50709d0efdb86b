package dev.tallystick.cli.daemon;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.local.LocalClient;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The inbox of a daemon. */
@Command(
        name = "inbox",
        description = "Read the messages that the daemon has received.",
        subcommands = {InboxCommand.Ls.class, InboxCommand.Tail.class},
        footer = {
            "  tally inbox ls --limit 10",
            "  tally inbox tail",
        })
public final class InboxCommand extends CommandGroup {

    @Command(name = "ls", description = "List messages in the order of their arrival.")
    static final class Ls extends LocalList {

        @Override
        public ExitCode run() {
            return list("/v1/inbox", "", "messages", InboxCommand::line);
        }
    }

    @Command(name = "tail", description = "Print messages, mentions and other events as they come.")
    static final class Tail extends LocalCommand {

        @Option(
                names = "--after",
                paramLabel = "POSITION",
                description = "Begin after this position (default: the beginning).")
        private long after;

        @Override
        public ExitCode run() {
            try (LocalClient client = connect()) {
                client.events("/v1/events?after=" + after, this::print);
            } catch (IOException e) {
                throw new CommandFailed(
                        ExitCode.INTERNAL, "the daemon ended the stream: " + e.getMessage(), "Run it again.");
            }
            return ExitCode.OK;
        }
    }

    private static String line(Map<String, Json> event) {
        Map<String, Json> message = event.get("data") instanceof Json.ObjectValue data ? data.members() : Map.of();
        return "%s  %s  %s -> %s  %s"
                .formatted(
                        ServerConnection.words(event.get("position")),
                        ServerConnection.words(event.get("at")),
                        ServerConnection.words(message.get("from")),
                        ServerConnection.words(message.get("to")),
                        ServerConnection.words(message.get("message")));
    }
}
