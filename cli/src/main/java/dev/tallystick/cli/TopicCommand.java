package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.TallyClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The topics of a mesh and their subscribers. */
@Command(
        name = "topic",
        description = "List, create and delete the topics of your mesh, and subscribe to them.",
        subcommands = {
            TopicCommand.Ls.class,
            TopicCommand.Create.class,
            TopicCommand.Delete.class,
            TopicCommand.Subscribe.class
        },
        footer = {
            "  tally topic create alerts",
            "  tally topic subscribe alerts shop",
            "  tally topic ls",
            "  tally topic delete alerts",
        })
final class TopicCommand extends CommandGroup {

    /** A command about one topic. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "NAME", description = "The name of the topic.")
        private String name;

        final String name() {
            return name;
        }
    }

    @Command(name = "ls", description = "List the topics of your mesh.")
    static final class Ls extends ServerConnection {

        @Override
        public ExitCode run(TallyClient client) {
            return answer(String.join("\n", client.topics().list()));
        }
    }

    @Command(name = "create", description = "Create a topic unless it exists.")
    static final class Create extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.topics().create(name());
            return answer("topic " + name() + (isNew() ? " is created" : " already exists"));
        }
    }

    @Command(name = "delete", description = "Delete a topic. Messages already sent are still delivered.")
    static final class Delete extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.topics().delete(name());
            return answer("topic " + name() + " is deleted");
        }
    }

    @Command(name = "subscribe", description = "Subscribe a member to a topic.")
    static final class Subscribe extends OfOne {

        @Parameters(index = "1", paramLabel = "MEMBER", description = "The name of the member.")
        private String member;

        @Override
        public ExitCode run(TallyClient client) {
            client.topics().subscribe(name(), member);
            return answer(member + " is subscribed to " + name());
        }
    }
}
