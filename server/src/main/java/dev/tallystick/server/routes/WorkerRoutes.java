package dev.tallystick.server.routes;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.engine.graph.run.RemoteWork;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.LongPollAnswer;
import dev.tallystick.server.http.LongPolls;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.RawJson;
import dev.tallystick.server.http.Route;
import dev.tallystick.server.http.Values;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.PayloadTooLargeException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Work for remote workers, in any language: claim, keep alive, report the result. */
public final class WorkerRoutes {

    private static final String PATH = "/v1/workers/{topic}";
    private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

    private final RemoteWork work;
    private final LongPolls longPolls;
    private final LongPollAnswer longPollAnswer;

    public WorkerRoutes(RemoteWork work, LongPolls longPolls) {
        this.work = work;
        this.longPolls = longPolls;
        this.longPollAnswer = new LongPollAnswer(longPolls, LOOK_AGAIN);
    }

    record ClaimWork(
            @Values(least = 1, most = RemoteWork.MAX_BATCH, ifMissing = "1") @Nullable
            Integer max,

            @Values(least = 0, most = 60, ifMissing = "0") @Nullable
            Integer waitSeconds) {}

    record ClaimedWork(List<Piece> work, long leaseSeconds) {

        /**
         * @param key for foreign systems: the same for every attempt of this work, different everywhere else
         * @param traceparent the trace context (W3C) of this work; missing if its job came without one
         */
        record Piece(
                UUID jobId,
                UUID workId,
                long fence,
                String activity,
                String dimension,
                int attempt,
                String key,
                RawJson input,
                @Nullable String traceparent) {

            static Piece of(RemoteWork.Claimed claimed) {
                return new Piece(
                        claimed.handle().job().value(),
                        claimed.handle().work(),
                        claimed.handle().fence(),
                        claimed.about().node(),
                        claimed.about().dimension(),
                        claimed.about().attempt(),
                        claimed.about().key(),
                        RawJson.of(claimed.input()),
                        claimed.traceParent());
            }
        }
    }

    record HeldWork(UUID jobId, UUID workId, long fence) {

        RemoteWork.Handle handle() {
            return new RemoteWork.Handle(new JobId(jobId), workId, fence);
        }
    }

    record KeepWork(List<HeldWork> work) {}

    record KeptWork(List<UUID> kept) {}

    /**
     * Either the result of the work, or why it failed.
     *
     * @param stackTrace details beyond the one line; shortened to 16,000 characters
     * @param forGood whether a further attempt is useless
     */
    record WorkResult(
            UUID jobId,
            UUID workId,
            long fence,
            @Nullable Json output,
            @Nullable String error,
            @Nullable String stackTrace,
            @Values(ifMissing = "false") @Nullable Boolean forGood) {

        RemoteWork.Handle handle() {
            return new RemoteWork.Handle(new JobId(jobId), workId, fence);
        }
    }

    record ResultTaken(
            UUID workId,
            @Values(oneOf = {"recorded", "job_closed"}) String status) {}

    public List<Route> routes() {
        return List.of(
                Route.post(PATH + "/claim", ClaimWork.class, this::claim)
                        .summary("Take work of a topic under a lease.")
                        .roles(Role.WORKER)
                        .answers(ClaimedWork.class),
                Route.post(PATH + "/heartbeat", KeepWork.class, this::keep)
                        .summary(
                                "Keep what you have claimed. Work that is not listed as kept now belongs to another worker.")
                        .roles(Role.WORKER)
                        .answers(KeptWork.class),
                Route.post(PATH + "/result", WorkResult.class, this::result)
                        .summary(
                                "Report the result of the work. It is recorded once, and a repeat gets the answer of the first time: "
                                        + "status 'recorded', or 'job_closed' if the job had ended.")
                        .roles(Role.WORKER)
                        .answers(ResultTaken.class)
                        .refuses(
                                ProblemCode.NOT_FOUND,
                                ProblemCode.LEASE_LOST,
                                ProblemCode.RESULT_DIFFERS,
                                ProblemCode.PAYLOAD_TOO_LARGE));
    }

    private Answer claim(Call call, ClaimWork wanted) {
        Member worker = call.member();
        int max = wanted.max() == null ? 1 : wanted.max();
        int seconds = wanted.waitSeconds() == null ? 0 : wanted.waitSeconds();
        if (seconds < 0 || seconds > longPolls.longest().toSeconds()) {
            throw new Problem(
                    ProblemCode.MALFORMED_REQUEST,
                    "wait_seconds is between 0 and " + longPolls.longest().toSeconds());
        }
        return longPollAnswer.answer(
                call,
                Duration.ofSeconds(seconds),
                () -> claimed(Call.understood(() -> work.claim(worker.mesh(), topic(call), worker.id(), max))),
                new ClaimedWork(List.of(), work.lease().toSeconds()));
    }

    private Optional<ClaimedWork> claimed(List<RemoteWork.Claimed> claimed) {
        return claimed.isEmpty()
                ? Optional.empty()
                : Optional.of(new ClaimedWork(
                        claimed.stream().map(ClaimedWork.Piece::of).toList(),
                        work.lease().toSeconds()));
    }

    private Answer keep(Call call, KeepWork held) {
        Set<UUID> kept = Call.understood(() -> work.keep(
                call.member().mesh(),
                topic(call),
                call.member().id(),
                held.work().stream().map(HeldWork::handle).toList()));
        return Answer.ok(new KeptWork(kept.stream().sorted().toList()));
    }

    private Answer result(Call call, WorkResult result) {
        return switch (bring(call.member(), topic(call), result)) {
            case RECORDED -> Answer.ok(new ResultTaken(result.workId(), "recorded"));
            case JOB_CLOSED -> Answer.ok(new ResultTaken(result.workId(), "job_closed"));
            case LEASE_LOST -> throw new Problem(ProblemCode.LEASE_LOST, "another worker has claimed this work");
            case ANOTHER_RESULT ->
                throw new Problem(
                        ProblemCode.RESULT_DIFFERS,
                        "the first result stands; repeat that one, or claim the work again");
            case UNKNOWN -> throw Call.notFound();
        };
    }

    private RemoteWork.Brought bring(Member worker, String topic, WorkResult result) {
        String error = result.error();
        if (error != null) {
            return work.fail(
                    worker.mesh(),
                    topic,
                    worker.id(),
                    result.handle(),
                    error,
                    result.stackTrace(),
                    Boolean.TRUE.equals(result.forGood()));
        }
        Json output = result.output() == null ? Json.ofNull() : result.output();
        try {
            return work.succeed(worker.mesh(), topic, worker.id(), result.handle(), output.canonicalBytes());
        } catch (PayloadTooLargeException e) {
            throw new Problem(ProblemCode.PAYLOAD_TOO_LARGE, String.valueOf(e.getMessage()));
        }
    }

    /** The names of queues that are not topics contain characters that no topic has. */
    private static String topic(Call call) {
        String topic = call.name("topic");
        if (topic.indexOf('@') >= 0 || topic.indexOf('$') >= 0) {
            throw Call.notFound();
        }
        return topic;
    }
}
