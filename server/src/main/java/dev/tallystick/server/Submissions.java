package dev.tallystick.server;

import dev.tallystick.broker.Acceptance;
import dev.tallystick.broker.AcceptedMessage;
import dev.tallystick.broker.Broker;
import dev.tallystick.broker.Rejection;
import dev.tallystick.broker.Submission;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.keys.KeyReuse;
import java.util.function.BiFunction;

/** Hands submissions to the broker, and says over HTTP what came of them. */
final class Submissions {

    static final String REPLAYED = "Idempotency-Replayed";

    private final Broker broker;

    Submissions(Broker broker) {
        this.broker = broker;
    }

    /** @param body what the first answer says of the message; a repeat is told the same, save that it is a duplicate */
    Answer submit(Call call, Submission submission, BiFunction<AcceptedMessage, Boolean, Record> body) {
        Acceptance acceptance = broker.accept(call.member(), submission.withTraceParent(call.traceParent()));
        return switch (acceptance) {
            case Acceptance.Accepted accepted -> Answer.created(body.apply(accepted.message(), false));
            case Acceptance.Duplicate duplicate ->
                Answer.ok(body.apply(duplicate.message(), true)).header(REPLAYED, "true");
            case Acceptance.KeyReused reused -> throw reused(reused.reuse());
            case Acceptance.Rejected rejected -> throw rejected(rejected.why());
            case Acceptance.OverLimit over ->
                throw new Problem(ProblemCode.OVER_LIMIT, "wait for the next window, and send the same request again")
                        .retryAfter(over.retryAfter());
            case Acceptance.InProgress other ->
                throw new Problem(ProblemCode.REQUEST_IN_PROGRESS, "send the same request again a little later")
                        .with("original_id", Json.of(other.original().toString()))
                        .retryAfter(other.retryAfter());
            case Acceptance.Busy busy ->
                throw new Problem(ProblemCode.BUSY, "send the same request again a little later")
                        .retryAfter(busy.retryAfter());
        };
    }

    static Problem reused(KeyReuse reuse) {
        return new Problem(
                        ProblemCode.IDEMPOTENCY_KEY_REUSED,
                        "this key stands for another request; use a new key for a new request")
                .with("bound_fingerprint", Json.of(reuse.boundPrefix()))
                .with("offered_fingerprint", Json.of(reuse.offeredPrefix()));
    }

    private static Problem rejected(Rejection why) {
        ProblemCode code = switch (why.code()) {
            case PAYLOAD_TOO_LARGE -> ProblemCode.PAYLOAD_TOO_LARGE;
            case MENTIONS_REFUSED -> ProblemCode.MENTIONS_REFUSED;
            case REPLY_TO_REFUSED -> ProblemCode.REPLY_TO_REFUSED;
            case OPTIONS_REFUSED -> ProblemCode.OPTIONS_REFUSED;
            case SCHEMA_REFUSED -> ProblemCode.SCHEMA_REFUSED;
            case UNKNOWN_TOPIC -> ProblemCode.UNKNOWN_TOPIC;
            case UNKNOWN_QUEUE -> ProblemCode.UNKNOWN_QUEUE;
            case UNKNOWN_MEMBER -> ProblemCode.UNKNOWN_MEMBER;
            case UNKNOWN_WORKFLOW -> ProblemCode.UNKNOWN_WORKFLOW;
        };
        return new Problem(code, why.detail());
    }
}
