package dev.tallystick.server.routes;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.accept.AcceptedMessage;
import dev.tallystick.broker.accept.JobOptions;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.member.Members;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.JobApi.JobAccepted;
import dev.tallystick.core.api.JobApi.JobList;
import dev.tallystick.core.api.JobApi.JobResult;
import dev.tallystick.core.api.JobApi.JobStatus;
import dev.tallystick.core.api.JobApi.JobView;
import dev.tallystick.core.api.JobApi.JobWhy;
import dev.tallystick.core.api.JobApi.SendSignal;
import dev.tallystick.core.api.JobApi.SignalSent;
import dev.tallystick.core.api.JobApi.SubmitJob;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.seal.Promises;
import dev.tallystick.engine.view.JobInfo;
import dev.tallystick.engine.view.JobQuery;
import dev.tallystick.engine.view.Why;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.LongPolls;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.workflow.Attribute;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Signalled;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs: submit, find, follow, signal, cancel. */
public final class JobRoutes {

    private static final int USUAL_PAGE = 50;

    private final Broker broker;
    private final Submissions submissions;
    private final Engine engine;
    private final MeshJobs jobs;
    private final LongPolls longPolls;
    private final BudgetGuard budgetGuard;
    private final @Nullable Promises promises;
    private final SealedActs acts;

    /** @param promises null if this server does not seal */
    public JobRoutes(
            Broker broker,
            Submissions submissions,
            Engine engine,
            MeshJobs jobs,
            LongPolls longPolls,
            BudgetGuard budgetGuard,
            @Nullable Promises promises,
            SealedActs acts) {
        this.broker = broker;
        this.submissions = submissions;
        this.budgetGuard = budgetGuard;
        this.engine = engine;
        this.jobs = jobs;
        this.longPolls = longPolls;
        this.promises = promises;
        this.acts = acts;
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/jobs", SubmitJob.class, this::submit)
                        .summary("Submit a job. Durable when it is answered.")
                        .roles(Role.MEMBER)
                        .underKey()
                        .answers(JobAccepted.class)
                        .statuses(201, 200)
                        .refuses(
                                ProblemCode.IDEMPOTENCY_KEY_REUSED,
                                ProblemCode.REQUEST_IN_PROGRESS,
                                ProblemCode.UNKNOWN_WORKFLOW,
                                ProblemCode.OPTIONS_REFUSED,
                                ProblemCode.PAYLOAD_TOO_LARGE,
                                ProblemCode.OVER_LIMIT),
                Route.get("/v1/jobs", this::list)
                        .summary("Jobs of the mesh, the newest first; or the one that one of your keys stands for.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("key", "the key that the job was submitted under, by you")
                        .query("workflow", "only jobs of this workflow")
                        .query("status", "open, completed, failed, cancelled, timed_out or continued")
                        .query("attribute.*", "only jobs with this value, as in attribute.customer=42")
                        .query("since", "only jobs submitted at this time or later")
                        .query("until", "only jobs submitted earlier than this")
                        .query("before", "only jobs made before this one: the next of the page before")
                        .limit(USUAL_PAGE, JobQuery.LARGEST_PAGE)
                        .answers(JobList.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get("/v1/jobs/{id}", this::job)
                        .summary("A job, with the last error in it.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(JobView.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get("/v1/jobs/{id}/result", this::result)
                        .summary("What the job returned; 202 as long as it is open.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("wait", "seconds to wait for the end, at most 60")
                        .answers(JobResult.class)
                        .statuses(200, 202)
                        .refuses(ProblemCode.NOT_FOUND, ProblemCode.STOPPING),
                Route.get(
                                "/v1/jobs/{id}/why",
                                call -> Answer.ok(why(engine.why(
                                        call.member().mesh(), jobs.job(call).id()))))
                        .summary("What the job waits for, since when, and what would move it.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(JobWhy.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.post("/v1/jobs/{id}/signals/{name}", SendSignal.class, this::signal)
                        .summary("Send the job a signal. The same key again is the same signal.")
                        .roles(Role.MEMBER)
                        .underKey()
                        .answers(SignalSent.class)
                        .statuses(201, 200)
                        .refuses(ProblemCode.NOT_FOUND, ProblemCode.JOB_CLOSED, ProblemCode.OVER_LIMIT),
                Route.post("/v1/jobs/{id}/cancel", this::cancel)
                        .summary("Ask for the end of the job and of its children. Asking again changes nothing.")
                        .roles(Role.MEMBER)
                        .answers(JobStatus.class)
                        .statuses(202)
                        .refuses(ProblemCode.NOT_FOUND));
    }

    private Answer submit(Call call, SubmitJob job) {
        IdempotencyKey key = call.key();
        Envelope envelope = Call.understood(job::envelope);
        JobOptions options = new JobOptions(
                job.version(),
                job.notBefore(),
                job.attributes() == null ? new Json.ObjectValue(Map.of()) : job.attributes());
        return submissions.submit(
                call,
                Submission.of(key, envelope).withOptions(options),
                (message, duplicate) -> accepted(call.member().scope(), message, duplicate));
    }

    private JobAccepted accepted(Scope scope, AcceptedMessage message, boolean duplicate) {
        JobAnswer answer = JobAnswer.of(message.answer());
        return new JobAccepted(
                message.id(),
                message.to().reference(),
                answer.version(),
                message.key().value(),
                message.fingerprint().hex(),
                message.acceptedAt(),
                message.historyAvailable(),
                duplicate,
                promise(scope, message, answer.acceptance()));
    }

    private @Nullable RawJson promise(Scope scope, AcceptedMessage message, @Nullable Integer acceptance) {
        if (promises == null || acceptance == null || !promises.covers(message.acceptedAt())) {
            return null;
        }
        return RawJson.of(promises.promise(
                new ScopedKey(scope, message.key()),
                acceptance,
                message.id(),
                message.fingerprint(),
                message.acceptedAt()));
    }

    private Answer list(Call call) {
        String key = call.parameter("key");
        if (key != null) {
            return Answer.ok(new JobList(List.of(view(byKey(call, key), key, null)), null));
        }
        JobQuery query = query(call);
        List<JobInfo> found = jobs.reader().list(query);
        Map<UUID, String> keys = broker.history()
                .keysOf(
                        query.mesh(),
                        found.stream().map(job -> job.id().value()).toList());
        List<JobView> page = found.stream()
                .map(job -> view(job, keys.get(job.id().value()), null))
                .toList();
        return Answer.ok(new JobList(
                page, page.size() < query.limit() ? null : page.getLast().jobId()));
    }

    private Answer job(Call call) {
        JobInfo job = jobs.job(call);
        JobView.LastFailure lastError = jobs.reader()
                .lastError(call.member().mesh(), job.id())
                .map(last -> new JobView.LastFailure(
                        last.path(), last.activity(), last.error(), last.at(), last.stackTrace()))
                .orElse(null);
        UUID id = job.id().value();
        return Answer.ok(
                view(job, broker.history().keysOf(job.mesh(), List.of(id)).get(id), lastError));
    }

    private static JobQuery query(Call call) {
        String before = call.parameter("before");
        return new JobQuery(
                call.member().mesh(),
                call.parameter("workflow"),
                statusWord(call.parameter("status")),
                Call.understood(() -> call.parameters("attribute").entrySet().stream()
                        .map(wanted -> new Attribute(wanted.getKey(), wanted.getValue()))
                        .toList()),
                call.time("since"),
                call.time("until"),
                before == null ? null : new JobId(Call.idOf(before).orElseThrow(Call::notFound)),
                call.number("limit", USUAL_PAGE, 1, JobQuery.LARGEST_PAGE));
    }

    private static @Nullable String statusWord(@Nullable String word) {
        if (word == null || word.equals(JobQuery.OPEN)) {
            return word;
        }
        return Arrays.stream(JobOutcome.values())
                .map(JobOutcome::text)
                .filter(word::equals)
                .findFirst()
                .orElseThrow(() -> new Problem(
                        ProblemCode.MALFORMED_REQUEST,
                        "status is open, completed, failed, cancelled, timed_out or continued"));
    }

    private JobInfo byKey(Call call, String key) {
        return broker.find(new ScopedKey(call.member().scope(), Call.understood(() -> new IdempotencyKey(key))))
                .filter(message -> message.to().kind() == Destination.Kind.WORKFLOW)
                .flatMap(message -> jobs.reader().job(call.member().mesh(), new JobId(message.id())))
                .orElseThrow(Call::notFound);
    }

    private Answer result(Call call) throws InterruptedException {
        JobInfo job = jobs.job(call);
        Duration wait = call.wait("wait", longPolls.longest());
        Optional<Closed> closed = engine.await(job.id(), Duration.ZERO);
        if (closed.isEmpty() && !wait.isZero()) {
            closed = await(call, job.id(), wait);
        }
        UUID id = job.id().value();
        if (closed.isEmpty()) {
            return Answer.of(202, new JobResult(id, status(null), null, null));
        }
        Closed end = closed.get();
        byte[] output = end.output();
        return Answer.ok(
                new JobResult(id, status(end.outcome()), output == null ? null : RawJson.of(output), end.error()));
    }

    private Optional<Closed> await(Call call, JobId job, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        try (LongPolls.Waiting waiting = longPolls.begin(call.member().mesh())) {
            Optional<Closed> closed = Optional.empty();
            for (long left = patience.toNanos(); closed.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
                Duration nap = Duration.ofNanos(Math.min(left, Members.BELIEVED.toNanos()));
                closed = waiting.in(() -> engine.awaitNews(job, nap));
                call.admitAgain();
            }
            return closed;
        }
    }

    private Answer signal(Call call, SendSignal signal) {
        JobInfo job = jobs.job(call);
        String name = call.name("name");
        Json payload = signal.payload() == null ? Json.ofNull() : signal.payload();
        // Keys are scoped to a member: another member's equal key is another signal.
        String sender = call.member().id() + "/" + call.key().value();
        Fingerprint request = Fingerprint.of("signal", job.id().toString(), name, payload.canonical());
        return budgetGuard.spend(
                call, jobs.reader().hasSignal(job.mesh(), job.id(), name, sender), call.key(), request, () -> {
                    Signalled sent = Call.understood(
                                    () -> engine.signal(job.mesh(), job.id(), name, sender, payload.canonicalBytes()))
                            .join();
                    return signalled(job, name, sent);
                });
    }

    private static Answer signalled(JobInfo job, String name, Signalled sent) {
        return switch (sent) {
            case Signalled.Kept kept -> {
                SignalSent body = new SignalSent(job.id().value(), name, kept.repeated());
                yield kept.repeated() ? Answer.ok(body).header(Submissions.REPLAYED, "true") : Answer.created(body);
            }
            case Signalled.JobClosed closed ->
                throw new Problem(ProblemCode.JOB_CLOSED, "the job is closed and accepts no more signals");
            case Signalled.NoSuchJob none -> throw Call.notFound();
        };
    }

    private Answer cancel(Call call) {
        JobInfo job = jobs.job(call);
        engine.cancel(job.mesh(), job.id(), acts.act(call, "cancel", job.id()));
        return Answer.of(202, new JobStatus(job.id().value(), status(job.outcome())));
    }

    static String status(@Nullable JobOutcome outcome) {
        return outcome == null ? "open" : outcome.text();
    }

    private static JobView view(JobInfo job, @Nullable String key, JobView.@Nullable LastFailure lastError) {
        JobId parent = job.parent();
        JobId before = job.continuedFrom();
        return new JobView(
                job.id().value(),
                job.workflow(),
                job.version(),
                job.priority(),
                status(job.outcome()),
                job.error(),
                job.createdAt(),
                job.closedAt(),
                parent == null ? null : parent.value(),
                before == null ? null : before.value(),
                key,
                job.attributes(),
                lastError);
    }

    private static JobWhy why(Why why) {
        return new JobWhy(
                why.job().value(),
                why.state(),
                why.waits().stream()
                        .map(wait -> new JobWhy.Wait(wait.what(), wait.since(), wait.mover()))
                        .toList(),
                why.hasMore());
    }
}
