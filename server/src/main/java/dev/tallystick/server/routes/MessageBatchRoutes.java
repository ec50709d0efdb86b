package dev.tallystick.server.routes;

import dev.tallystick.broker.accept.Submission;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Failures;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.RawJson;
import dev.tallystick.server.http.RecordBinding;
import dev.tallystick.server.http.Route;
import dev.tallystick.server.http.Tried;
import dev.tallystick.server.http.Values;
import dev.tallystick.server.routes.MessageRoutes.SendMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Many messages in one request, each accepted or refused by itself: how a daemon empties its outbox. */
public final class MessageBatchRoutes {

    static final int MOST = 500;

    private static final String PATH = "/v1/messages/batch";

    private final Submissions submissions;
    private final Failures failures;

    public MessageBatchRoutes(Submissions submissions, Failures failures) {
        this.submissions = submissions;
        this.failures = failures;
    }

    /** @param messages at most 500, with different keys; those to one destination are taken in this order */
    record SendMessages(List<Tried<MessageOfBatch>> messages) {}

    /**
     * As {@link SendMessage}.
     *
     * @param clientMessageId the key of this message
     * @param traceparent the W3C trace context of its sender; the request's if missing
     */
    record MessageOfBatch(
            String to,
            Json message,

            @Values(
                    oneOf = {"now", "next", "low"},
                    ifMissing = "\"next\"")
            @Nullable
            String priority,

            Json.@Nullable ObjectValue meta,
            @Nullable UUID replyTo,
            @Nullable List<String> mentions,
            @Nullable String clientMessageId,
            @Nullable String traceparent) {

        Submission submission() {
            if (clientMessageId == null) {
                throw new Problem(
                        ProblemCode.IDEMPOTENCY_KEY_MISSING,
                        "every message of a batch needs its own client_message_id");
            }
            SendMessage alone = new SendMessage(to, message, priority, meta, replyTo, mentions, clientMessageId);
            return Submission.of(key(clientMessageId), Call.understood(() -> MessageRoutes.envelope(alone)))
                    .withTraceParent(traceparent);
        }

        private static IdempotencyKey key(String text) {
            try {
                return new IdempotencyKey(text);
            } catch (IllegalArgumentException e) {
                throw new Problem(ProblemCode.IDEMPOTENCY_KEY_REFUSED, String.valueOf(e.getMessage()));
            }
        }
    }

    /** @param outcomes for each message, in the same order: what {@code POST /v1/messages} answers, or a problem */
    record MessagesSent(
            @Values(recordOrProblem = MessageRoutes.MessageAccepted.class)
            List<RawJson> outcomes) {}

    public List<Route> routes() {
        return List.of(Route.post(PATH, SendMessages.class, this::send)
                .summary("Send up to " + MOST + " messages, each with its client_message_id. Each outcome is that of"
                        + " POST /v1/messages, or a problem with its retry_after. Messages to one destination are taken in"
                        + " their order, up to the first that cannot be taken now.")
                .roles(Role.MEMBER)
                .answers(MessagesSent.class));
    }

    private Answer send(Call call, SendMessages sent) {
        if (sent.messages().size() > MOST) {
            throw new Problem(
                    ProblemCode.MALFORMED_REQUEST,
                    "messages has at most " + MOST + " elements: send the others in further requests");
        }
        Map<Integer, RawJson> refused = new HashMap<>();
        List<Submission> understood = new ArrayList<>();
        Map<IdempotencyKey, Integer> places = new HashMap<>();
        for (int i = 0; i < sent.messages().size(); i++) {
            try {
                Submission submission = submission(sent.messages().get(i));
                Integer before = places.putIfAbsent(submission.key(), i);
                if (before != null) {
                    throw new Problem(
                            ProblemCode.MALFORMED_REQUEST, "messages/" + before + " has the same client_message_id");
                }
                understood.add(submission);
            } catch (Problem problem) {
                refused.put(i, new RawJson(problem.documentInBatch()));
            }
        }
        Iterator<RawJson> answered = submissions
                .submitAll(
                        call, understood, MessageRoutes::accepted, failure -> failures.problem(failure, "POST", PATH))
                .iterator();
        List<RawJson> outcomes = new ArrayList<>(sent.messages().size());
        for (int i = 0; i < sent.messages().size(); i++) {
            RawJson problem = refused.get(i);
            outcomes.add(problem == null ? answered.next() : problem);
        }
        return Answer.ok(new MessagesSent(outcomes));
    }

    private static Submission submission(Tried<MessageOfBatch> tried) {
        if (tried.value() == null) {
            throw tried.problem() == null ? RecordBinding.malformed("", "is an object") : tried.problem();
        }
        return tried.value().submission();
    }
}
