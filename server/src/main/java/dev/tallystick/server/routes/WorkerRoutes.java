package dev.tallystick.server.routes;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.core.api.WorkApi.ClaimWork;
import dev.tallystick.core.api.WorkApi.ClaimedWork;
import dev.tallystick.core.api.WorkApi.KeepWork;
import dev.tallystick.core.api.WorkApi.KeptWork;
import dev.tallystick.core.api.WorkApi.ResultTaken;
import dev.tallystick.core.api.WorkApi.WorkResult;
import dev.tallystick.engine.graph.run.RemoteWork;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.LongPollAnswer;
import dev.tallystick.server.http.LongPolls;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.PayloadTooLargeException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

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
                        claimed.stream().map(WorkerRoutes::piece).toList(),
                        work.lease().toSeconds()));
    }

    private Answer keep(Call call, KeepWork held) {
        Set<UUID> kept = Call.understood(() -> work.keep(
                call.member().mesh(),
                topic(call),
                call.member().id(),
                held.work().stream()
                        .map(each -> handle(each.jobId(), each.workId(), each.fence()))
                        .toList()));
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
        RemoteWork.Handle handle = handle(result.jobId(), result.workId(), result.fence());
        String error = result.error();
        if (error != null) {
            return work.fail(
                    worker.mesh(),
                    topic,
                    worker.id(),
                    handle,
                    error,
                    result.stackTrace(),
                    Boolean.TRUE.equals(result.forGood()));
        }
        Json output = result.output() == null ? Json.ofNull() : result.output();
        try {
            return work.succeed(worker.mesh(), topic, worker.id(), handle, output.canonicalBytes());
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

    private static RemoteWork.Handle handle(UUID job, UUID work, long fence) {
        return new RemoteWork.Handle(new JobId(job), work, fence);
    }

    private static ClaimedWork.Piece piece(RemoteWork.Claimed claimed) {
        return new ClaimedWork.Piece(
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
