package dev.tallystick.server.routes;

import dev.tallystick.broker.accept.Submission;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.MessageApi;
import dev.tallystick.core.api.MessageApi.MessageOfBatch;
import dev.tallystick.core.api.MessageApi.MessagesSent;
import dev.tallystick.core.api.MessageApi.SendMessages;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.core.api.Tried;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Failures;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Many messages in one request, each accepted or refused by itself: how a daemon empties its outbox. */
public final class MessageBatchRoutes {

    private static final String PATH = "/v1/messages/batch";

    private final Submissions submissions;
    private final Failures failures;

    public MessageBatchRoutes(Submissions submissions, Failures failures) {
        this.submissions = submissions;
        this.failures = failures;
    }

    public List<Route> routes() {
        return List.of(Route.post(PATH, SendMessages.class, this::send)
                .summary("Send up to " + MessageApi.MOST_AT_ONCE
                        + " messages, each with its client_message_id. Each outcome is that of"
                        + " POST /v1/messages, or a problem with its retry_after. Messages to one destination are taken in"
                        + " their order, up to the first that cannot be taken now.")
                .roles(Role.MEMBER)
                .answers(MessagesSent.class));
    }

    private Answer send(Call call, SendMessages sent) {
        if (sent.messages().size() > MessageApi.MOST_AT_ONCE) {
            throw new Problem(
                    ProblemCode.MALFORMED_REQUEST,
                    "messages has at most " + MessageApi.MOST_AT_ONCE
                            + " elements: send the others in further requests");
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
                refused.put(i, RawJson.of(problem.documentInBatch()));
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
            throw new Problem(ProblemCode.MALFORMED_REQUEST, String.valueOf(tried.problem()));
        }
        return submission(tried.value());
    }

    private static Submission submission(MessageOfBatch message) {
        if (message.clientMessageId() == null) {
            throw new Problem(
                    ProblemCode.IDEMPOTENCY_KEY_MISSING, "every message of a batch needs its own client_message_id");
        }
        return Submission.of(key(message.clientMessageId()), Call.understood(message.alone()::envelope))
                .withTraceParent(message.traceparent());
    }

    private static IdempotencyKey key(String text) {
        try {
            return new IdempotencyKey(text);
        } catch (IllegalArgumentException e) {
            throw new Problem(ProblemCode.IDEMPOTENCY_KEY_REFUSED, String.valueOf(e.getMessage()));
        }
    }
}
