package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.api.JobApi.Letter;
import dev.tallystick.core.api.WebhookApi.DeadCallView;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists, redrives and discards failed jobs; lists and repeats abandoned webhook calls. */
@Command(
        name = "deadletter",
        description = {
            "List failed jobs that no parent waits for; redrive or discard them.",
            "List abandoned webhook calls and make them again."
        },
        subcommands = {
            DeadLetterCommand.Ls.class,
            DeadLetterCommand.Show.class,
            DeadLetterCommand.Redrive.class,
            DeadLetterCommand.Discard.class,
            DeadLetterCommand.Calls.class,
            DeadLetterCommand.CallAgain.class
        },
        footer = {
            "  tally deadletter ls",
            "  tally deadletter show 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally deadletter redrive 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally deadletter discard 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally deadletter calls",
            "  tally deadletter call --webhook ID --message 01890a5d-ac96-774b-bcce-b302099a8057",
        })
final class DeadLetterCommand extends CommandGroup {

    /** A command about one dead letter. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "JOB", description = "The ID of the failed job.")
        private UUID job;

        final UUID job() {
            return job;
        }
    }

    @Command(name = "ls", description = "List dead letters, oldest first.")
    static final class Ls extends ServerConnection {

        @Option(names = "--after", paramLabel = "JOB", description = "Only dead letters after this one.")
        private @Nullable UUID after;

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 50;

        @Override
        public ExitCode run(TallyClient client) {
            return answer(client.deadLetters().list(after, limit).letters(), Ls::line);
        }

        private static String line(Letter letter) {
            String reason = letter.reason().lines().findFirst().orElse("");
            return "%s  %s  %s  %s".formatted(letter.jobId(), letter.raisedAt(), letter.workflow(), reason);
        }
    }

    @Command(name = "show", description = "Show a dead letter.")
    static final class Show extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.deadLetters().find(job());
            return answer();
        }
    }

    @Command(
            name = "redrive",
            description = "Resume the job where it failed, as a new job. Repeats return the same job.")
    static final class Redrive extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            return answer("job " + client.deadLetters().redrive(job()).jobId() + " continues it");
        }
    }

    @Command(name = "discard", description = "Leave the job failed and remove it from the list.")
    static final class Discard extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.deadLetters().discard(job());
            return answer("job " + job() + " is discarded");
        }
    }

    @Command(name = "calls", description = "List abandoned webhook calls.")
    static final class Calls extends ServerConnection {

        @Option(
                names = "--after",
                paramLabel = "NEXT",
                description = "Only calls after this: the NEXT of the last page.")
        private @Nullable String after;

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 50;

        @Override
        public ExitCode run(TallyClient client) {
            return answer(client.webhooks().dead(after, limit).calls(), Calls::line);
        }

        private static String line(DeadCallView call) {
            return "%s  webhook %s  message %s  %s  %s"
                    .formatted(call.givenUpAt(), call.webhookId(), call.messageId(), call.url(), call.error());
        }
    }

    @Command(name = "call", description = "Make an abandoned webhook call again.")
    static final class CallAgain extends ServerConnection {

        @Option(names = "--webhook", paramLabel = "ID", required = true, description = "The webhook.")
        private UUID webhook;

        @Option(names = "--message", paramLabel = "ID", required = true, description = "The message to send it.")
        private UUID message;

        @Override
        public ExitCode run(TallyClient client) {
            client.webhooks().redrive(webhook, message);
            return answer("webhook " + webhook + " is called again for message " + message);
        }
    }
}
