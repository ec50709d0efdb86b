package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.client.DaemonClient;
import dev.tallystick.client.Messages;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Destination;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends a message. */
@Command(
        name = "send",
        description = {
            "Send a message to a topic, a member or a queue. The same key again is the same message.",
            "With a daemon the message is kept here and sent as soon as possible; without one the server accepts it now."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally send topic:alerts --body 'The pump is on.'",
            "  tally send queue:invoices --json-body '{\"invoice\":7}' --key invoice:7",
            "  tally send member:ann --body 'Please look.' --mention bob --priority now",
        })
final class SendCommand extends SubmissionCommand {

    @Parameters(index = "0", paramLabel = "TO", description = "topic:NAME, member:NAME or queue:NAME.")
    private String to;

    @ArgGroup(multiplicity = "1")
    private Content content;

    /** The body in one of its two forms. */
    static final class Content {

        @Option(names = "--body", paramLabel = "TEXT", required = true, description = "The message, as text.")
        private @Nullable String text;

        @Option(names = "--json-body", paramLabel = "JSON", required = true, description = "The message, as JSON.")
        private @Nullable String json;

        Json body() {
            return text != null ? Json.of(text) : json(String.valueOf(json));
        }
    }

    @Option(names = "--priority", paramLabel = "WORD", description = "now, next or low (default: next).")
    private String priority = Priority.DEFAULT.word();

    @Option(names = "--mention", paramLabel = "MEMBER", description = "A member to notify; repeatable.")
    private List<String> mentions = List.of();

    @Option(names = "--reply-to", paramLabel = "ID", description = "The ID of the message that this one answers.")
    private @Nullable UUID replyTo;

    @Option(names = "--meta", paramLabel = "JSON", description = "Further data about the message: a JSON object.")
    private String meta = "{}";

    @Override
    DaemonClient.Handed hand(DaemonClient client, IdempotencyKey under) {
        return client.send(message(), under);
    }

    @Override
    ExitCode submit(TallyClient client, IdempotencyKey under) {
        Messages.Sent sent = client.messages().send(message(), under);
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("key", Json.of(under.value()));
        fields.put(idName(), Json.of(sent.message().toString()));
        fields.put("history_id", Json.of(sent.history().toString()));
        fields.put("duplicate", Json.of(sent.duplicate()));
        return answer(
                "message " + sent.message()
                        + (sent.duplicate() ? ", accepted by the server before" : ", accepted by the server"),
                fields);
    }

    private Messages.NewMessage message() {
        if (!(json(meta) instanceof Json.ObjectValue object)) {
            throw new CommandFailed(ExitCode.USAGE, "--meta is not a JSON object", "Pass {\"name\":\"value\"}.");
        }
        return new Messages.NewMessage(
                destination(), content.body(), priority(priority), object, List.copyOf(mentions), replyTo);
    }

    private Destination destination() {
        try {
            Destination destination = Destination.parse(to);
            if (destination.kind() != Destination.Kind.WORKFLOW) {
                return destination;
            }
        } catch (IllegalArgumentException e) {
            // Reported below, like a workflow.
        }
        throw new CommandFailed(
                ExitCode.USAGE,
                "'" + to + "' is not a destination for messages",
                "Pass topic:NAME, member:NAME or queue:NAME; 'tally submit' takes workflows.");
    }

    @Override
    String idName() {
        return "message_id";
    }

    @Override
    String hint(IdempotencyKey under, String connection) {
        return "'tally outbox ls' shows what became of it.";
    }
}
