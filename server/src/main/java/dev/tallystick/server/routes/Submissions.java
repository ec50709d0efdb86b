package dev.tallystick.server.routes;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.AcceptedMessage;
import dev.tallystick.broker.accept.BatchOutcome;
import dev.tallystick.broker.accept.Rejection;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.engine.model.Tracing;
import dev.tallystick.keys.KeyReuse;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Passes submissions to the broker, and turns their outcomes into HTTP answers. */
public final class Submissions {

    static final String REPLAYED = "Idempotency-Replayed";

    private final Broker broker;
    private final Tracing tracing;

    public Submissions(Broker broker, Tracing tracing) {
        this.broker = broker;
        this.tracing = tracing;
    }

    /** @param body the first answer's body; a repeat gets the same, but marked as a duplicate */
    Answer submit(Call call, Submission submission, BiFunction<AcceptedMessage, Boolean, Record> body) {
        Acceptance acceptance = tracing.isOn()
                ? acceptTraced(call.member(), submission)
                : broker.accept(call.member(), submission.withTraceParent(call.traceParent()));
        return answer(acceptance, body);
    }

    /** The outcomes of several submissions of one member, each with the body of its answer or as a problem. */
    List<RawJson> submitAll(
            Call call,
            List<Submission> submissions,
            BiFunction<AcceptedMessage, Boolean, Record> body,
            Function<RuntimeException, Problem> failed) {
        String traceParent = tracing.isOn() ? tracing.current() : call.traceParent();
        List<Submission> traced = submissions.stream()
                .map(each -> each.traceParent() == null ? each.withTraceParent(traceParent) : each)
                .toList();
        return broker.acceptAll(call.member(), traced).stream()
                .map(outcome -> outcome(outcome, body, failed))
                .toList();
    }

    private static RawJson outcome(
            BatchOutcome outcome,
            BiFunction<AcceptedMessage, Boolean, Record> body,
            Function<RuntimeException, Problem> failed) {
        try {
            return switch (outcome) {
                case BatchOutcome.Answered answered -> json(answer(answered.answer(), body));
                case BatchOutcome.HeldBack held ->
                    throw new Problem(
                                    ProblemCode.BUSY,
                                    "an earlier message was not taken, and this one would overtake it; send both again")
                            .retryAfter(held.retryAfter());
                case BatchOutcome.Failed failure -> throw failed.apply(failure.why());
            };
        } catch (Problem problem) {
            return RawJson.of(problem.documentInBatch());
        }
    }

    private static RawJson json(Answer.Document answer) {
        return RawJson.of(Answer.json(Objects.requireNonNull(answer.body())));
    }

    private static Answer.Document answer(Acceptance acceptance, BiFunction<AcceptedMessage, Boolean, Record> body) {
        return switch (acceptance) {
            case Acceptance.Accepted accepted -> Answer.created(body.apply(accepted.message(), false));
            case Acceptance.Duplicate duplicate ->
                Answer.ok(body.apply(duplicate.message(), true)).header(REPLAYED, "true");
            case Acceptance.KeyReused reused -> throw reused(reused.reuse());
            case Acceptance.Rejected rejected -> throw rejected(rejected.why());
            case Acceptance.OverLimit over -> throw BudgetGuard.overLimit(over.retryAfter());
            case Acceptance.InProgress other -> throw inProgress(other);
            case Acceptance.Busy busy ->
                throw new Problem(ProblemCode.BUSY, "send the same request again a little later")
                        .retryAfter(busy.retryAfter());
        };
    }

    private static Problem inProgress(Acceptance.InProgress other) {
        Problem problem = new Problem(ProblemCode.REQUEST_IN_PROGRESS, "send the same request again a little later")
                .retryAfter(other.retryAfter());
        UUID original = other.original();
        return original == null ? problem : problem.with("original_id", Json.of(original.toString()));
    }

    /** Everything that follows from the submission belongs under this span, in any process and however much later. */
    private Acceptance acceptTraced(Member member, Submission submission) {
        Destination to = submission.envelope().to();
        Span span = tracing.span("accept " + to.kind().word(), SpanKind.PRODUCER)
                .setAttribute("tallystick.mesh", member.mesh())
                .setAttribute("tallystick.destination", to.toString())
                .startSpan();
        return Tracing.<Acceptance, RuntimeException>within(span, () -> {
            Acceptance acceptance = broker.accept(member, submission.withTraceParent(Tracing.traceParent(span)));
            span.setAttribute("tallystick.acceptance", word(acceptance));
            if (acceptance instanceof Acceptance.Accepted accepted) {
                span.setAttribute("tallystick.message", accepted.message().id().toString());
            } else if (acceptance instanceof Acceptance.Duplicate duplicate) {
                span.setAttribute("tallystick.message", duplicate.message().id().toString());
            }
            return acceptance;
        });
    }

    private static String word(Acceptance acceptance) {
        return switch (acceptance) {
            case Acceptance.Accepted accepted -> "accepted";
            case Acceptance.Duplicate duplicate -> "duplicate";
            case Acceptance.KeyReused reused -> "key_reused";
            case Acceptance.Rejected rejected -> "rejected";
            case Acceptance.OverLimit over -> "over_limit";
            case Acceptance.InProgress other -> "in_progress";
            case Acceptance.Busy busy -> "busy";
        };
    }

    static Problem reused(KeyReuse reuse) {
        return new Problem(
                        ProblemCode.IDEMPOTENCY_KEY_REUSED,
                        "this key was already used for a different request; use a new key for a new request")
                .with("bound_fingerprint", Json.of(reuse.boundPrefix()))
                .with("offered_fingerprint", Json.of(reuse.offeredPrefix()));
    }

    private static Problem rejected(Rejection why) {
        ProblemCode code = switch (why.code()) {
            case PAYLOAD_TOO_LARGE -> ProblemCode.PAYLOAD_TOO_LARGE;
            case MENTIONS_REFUSED -> ProblemCode.MENTIONS_REFUSED;
            case OPTIONS_REFUSED -> ProblemCode.OPTIONS_REFUSED;
            case UNKNOWN_TOPIC -> ProblemCode.UNKNOWN_TOPIC;
            case UNKNOWN_QUEUE -> ProblemCode.UNKNOWN_QUEUE;
            case UNKNOWN_MEMBER -> ProblemCode.UNKNOWN_MEMBER;
            case UNKNOWN_WORKFLOW -> ProblemCode.UNKNOWN_WORKFLOW;
            case OUTCOME_UNKNOWN -> ProblemCode.OUTCOME_UNKNOWN;
        };
        return new Problem(code, why.detail());
    }
}
