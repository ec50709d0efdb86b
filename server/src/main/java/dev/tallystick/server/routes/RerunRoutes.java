package dev.tallystick.server.routes;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.JobApi.ForkJob;
import dev.tallystick.core.api.JobApi.JobAgain;
import dev.tallystick.core.api.JobApi.Letter;
import dev.tallystick.core.api.JobApi.Letters;
import dev.tallystick.core.api.JobApi.Redriven;
import dev.tallystick.engine.model.DeadLetter;
import dev.tallystick.engine.submit.Reruns;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.ForkRefusedException;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.UnknownJobException;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.util.List;
import java.util.function.Supplier;

/** Rerunning closed jobs, and dead letters. */
public final class RerunRoutes {

    private static final String LETTERS = "/v1/deadletters";
    private static final int USUAL_PAGE = 50;
    private static final int LARGEST_PAGE = 500;

    private final Reruns reruns;
    private final BudgetGuard budgetGuard;
    private final SealedActs acts;

    public RerunRoutes(Reruns reruns, BudgetGuard budgetGuard, SealedActs acts) {
        this.reruns = reruns;
        this.acts = acts;
        this.budgetGuard = budgetGuard;
    }

    public List<Route> routes() {
        return List.of(
                again(Route.post("/v1/jobs/{id}/rerun", this::rerun))
                        .summary("Do a closed job again from its beginning, in the newest version and under new keys.")
                        .refuses(ProblemCode.UNKNOWN_WORKFLOW),
                again(Route.post("/v1/jobs/{id}/fork", ForkJob.class, this::fork))
                        .summary(
                                "Do a closed job again from one of its steps on, in the same version and under the same"
                                        + " keys towards foreign systems; what came before is taken as recorded.")
                        .refuses(ProblemCode.RERUN_REFUSED),
                Route.get(LETTERS, this::list)
                        .summary(
                                "Jobs that failed or were not done in time, that no job waits for and that were not redriven;"
                                        + " the oldest first.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("after", "only those after this job: the next of the page before")
                        .limit(USUAL_PAGE, LARGEST_PAGE)
                        .answers(Letters.class),
                Route.get(LETTERS + "/{job}", call -> Answer.ok(view(letter(call))))
                        .summary("A dead letter, also one that was redriven.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(Letter.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.post(LETTERS + "/{job}/redrive", this::redrive)
                        .summary("Do the job again from where it failed. Once only: asking again gives the same job.")
                        .roles(Role.MEMBER)
                        .answers(Redriven.class)
                        .refuses(
                                ProblemCode.NOT_FOUND,
                                ProblemCode.RERUN_REFUSED,
                                ProblemCode.UNKNOWN_WORKFLOW,
                                ProblemCode.OVER_LIMIT),
                Route.delete(LETTERS + "/{job}", this::discard)
                        .summary("Leave the job as it is: nothing is to be done about it.")
                        .roles(Role.MEMBER)
                        .refuses(ProblemCode.NOT_FOUND));
    }

    private static Route again(Route route) {
        return route.roles(Role.MEMBER)
                .underKey()
                .answers(JobAgain.class)
                .statuses(201, 200)
                .refuses(
                        ProblemCode.NOT_FOUND,
                        ProblemCode.JOB_OPEN,
                        ProblemCode.IDEMPOTENCY_KEY_REUSED,
                        ProblemCode.OVER_LIMIT);
    }

    private Answer rerun(Call call) {
        JobId job = new JobId(call.id("id"));
        ScopedKey key = key(call);
        return budgetGuard.spend(
                call,
                Fingerprint.of("rerun", job.toString()),
                () -> again(call, job, () -> reruns.rerun(job, key, acts.act(call, "rerun", job))));
    }

    private Answer fork(Call call, ForkJob fork) {
        JobId job = new JobId(call.id("id"));
        ScopedKey key = key(call);
        Fingerprint request = Call.understood(() -> Fingerprint.of("fork", job.toString(), fork.step()));
        return budgetGuard.spend(
                call,
                request,
                () -> again(
                        call,
                        job,
                        () -> Call.understood(() -> reruns.fork(job, fork.step(), key, acts.act(call, "fork", job)))));
    }

    private static ScopedKey key(Call call) {
        return new ScopedKey(call.member().scope(), call.key());
    }

    private static Answer again(Call call, JobId job, Supplier<Accepted> asked) {
        return switch (refusing(asked)) {
            case Accepted.Fresh fresh -> Answer.created(body(call, job, fresh.job(), false));
            case Accepted.Duplicate duplicate ->
                Answer.ok(body(call, job, duplicate.job(), true)).header(Submissions.REPLAYED, "true");
            case Accepted.Reused reused -> throw Submissions.reused(reused.reuse());
        };
    }

    private static JobAgain body(Call call, JobId old, JobId again, boolean duplicate) {
        return new JobAgain(again.value(), old.value(), call.key().value(), duplicate);
    }

    /** The engine's refusals, in the terms of the API. */
    private static <T> T refusing(Supplier<T> asked) {
        try {
            return asked.get();
        } catch (UnknownJobException e) {
            throw Call.notFound();
        } catch (UnknownWorkflowException e) {
            throw new Problem(ProblemCode.UNKNOWN_WORKFLOW, String.valueOf(e.getMessage()));
        } catch (ForkRefusedException e) {
            ProblemCode code = switch (e.reason()) {
                case OPEN -> ProblemCode.JOB_OPEN;
                case NO_LETTER -> ProblemCode.NOT_FOUND;
                case OVER_LIMIT -> ProblemCode.OVER_LIMIT;
                case NO_SUCH_STEP, NOTHING_TO_GO_ON_FROM -> ProblemCode.RERUN_REFUSED;
            };
            throw new Problem(code, String.valueOf(e.getMessage()));
        }
    }

    private Answer list(Call call) {
        String after = call.parameter("after");
        int limit = call.number("limit", USUAL_PAGE, 1, LARGEST_PAGE);
        List<Letter> page = reruns
                .deadLetters(
                        call.member().mesh(),
                        after == null ? null : new JobId(Call.idOf(after).orElseThrow(Call::notFound)),
                        limit)
                .stream()
                .map(RerunRoutes::view)
                .toList();
        return Answer.ok(
                new Letters(page, page.size() < limit ? null : page.getLast().jobId()));
    }

    private DeadLetter letter(Call call) {
        return reruns.deadLetter(call.member().mesh(), new JobId(call.id("job")))
                .orElseThrow(Call::notFound);
    }

    private Answer redrive(Call call) {
        DeadLetter letter = letter(call);
        JobId job = letter.job();
        // A dead letter is redriven once, so it serves as its own key.
        return budgetGuard.spend(
                call,
                letter.redrivenAs() != null,
                new IdempotencyKey("redrive:" + job),
                Fingerprint.of("redrive", job.toString()),
                () -> Answer.ok(new Redriven(
                        refusing(() -> reruns.redrive(letter.mesh(), job, acts.act(call, "redrive", job)))
                                .value(),
                        job.value())));
    }

    private Answer discard(Call call) {
        JobId job = letter(call).job();
        reruns.discard(call.member().mesh(), job, acts.act(call, "discard", job));
        return Answer.nothing();
    }

    private static Letter view(DeadLetter letter) {
        JobId as = letter.redrivenAs();
        return new Letter(
                letter.job().value(),
                letter.workflow(),
                letter.version(),
                letter.reason(),
                letter.ceiling(),
                letter.raisedAt(),
                as == null ? null : as.value());
    }
}
