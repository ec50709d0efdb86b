package dev.tallystick.client;

import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.api.MessageApi.MessageAccepted;
import dev.tallystick.core.api.MessageApi.MessageOfBatch;
import dev.tallystick.core.api.MessageApi.MessagesSent;
import dev.tallystick.core.api.MessageApi.SendMessages;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.core.api.Tried;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Messages that are sent in one request, and the outcome of each. */
final class MessageBatch {

    private static final String PATH = Messages.PATH + "/batch";

    private final List<Messages.Keyed> messages;

    MessageBatch(List<Messages.Keyed> messages) {
        this.messages = List.copyOf(messages);
        if (messages.size() > Messages.MOST_AT_ONCE) {
            throw new IllegalArgumentException(
                    "at most " + Messages.MOST_AT_ONCE + " messages are sent at once, not " + messages.size());
        }
        Set<String> keys = new HashSet<>();
        for (Messages.Keyed each : messages) {
            if (!keys.add(each.key().value())) {
                throw new IllegalArgumentException("two of the messages have the key " + each.key());
            }
        }
    }

    List<Messages.Outcome> send(Transport transport) {
        if (messages.isEmpty()) {
            return List.of();
        }
        SendMessages body =
                new SendMessages(messages.stream().map(MessageBatch::body).toList());
        Transport.Settled<List<Attempt<Messages.Sent>>> settled =
                transport.settle(Request.post(PATH, body), reply -> attempts(reply.as(MessagesSent.class)));
        List<Messages.Outcome> outcomes = new ArrayList<>(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            outcomes.add(outcome(single(messages.get(i)), settled.answer().get(i), settled.afterUnknown()));
        }
        return outcomes;
    }

    private static Tried<MessageOfBatch> body(Messages.Keyed keyed) {
        return Tried.of(
                MessageOfBatch.of(Messages.body(keyed.message()), keyed.key().value(), keyed.traceParent()));
    }

    /** The answer counts only as a whole: with one outcome for each message, in the same order. */
    private List<Attempt<Messages.Sent>> attempts(MessagesSent answer) {
        List<RawJson> outcomes = answer.outcomes();
        if (outcomes.size() != messages.size()) {
            throw new ForeignAnswer("it has " + outcomes.size() + " outcomes for " + messages.size() + " messages");
        }
        List<Attempt<Messages.Sent>> attempts = new ArrayList<>(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            Messages.Keyed keyed = messages.get(i);
            Fields outcome = Fields.of(outcomes.get(i).json());
            attempts.add(Answers.judgePart(
                    single(keyed),
                    outcome,
                    () -> Messages.Sent.of(Reply.read(outcome.object(), MessageAccepted.class), keyed.key())));
        }
        return attempts;
    }

    /** The request that would have sent this message alone. */
    private static Request single(Messages.Keyed keyed) {
        return Request.submissionInBatch(Messages.PATH, keyed.key());
    }

    private static Messages.Outcome outcome(Request request, Attempt<Messages.Sent> attempt, boolean afterUnknown) {
        return switch (attempt) {
            case Attempt.Answered<Messages.Sent> answered -> new Messages.Outcome.Accepted(answered.answer());
            case Attempt.Refused<Messages.Sent> refused ->
                new Messages.Outcome.NotAccepted(Transport.refusal(request, afterUnknown, refused));
            case Attempt.Failed<Messages.Sent> failed ->
                new Messages.Outcome.NotAccepted(
                        Transport.givenUp(request, afterUnknown || failed.mayHaveHappened(), failed));
        };
    }
}
