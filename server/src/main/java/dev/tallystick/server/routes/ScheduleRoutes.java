package dev.tallystick.server.routes;

import dev.tallystick.broker.member.QuotaExceededException;
import dev.tallystick.broker.member.Quotas;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.core.api.ScheduleApi.PutSchedule;
import dev.tallystick.core.api.ScheduleApi.ScheduleList;
import dev.tallystick.core.api.ScheduleApi.ScheduleShown;
import dev.tallystick.core.api.ScheduleApi.ScheduleState;
import dev.tallystick.core.api.ScheduleApi.Triggered;
import dev.tallystick.engine.schedule.Cron;
import dev.tallystick.engine.schedule.Schedule;
import dev.tallystick.engine.schedule.ScheduleView;
import dev.tallystick.engine.schedule.Scheduler;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Schedules. A {@code PUT} creates a schedule by name. */
public final class ScheduleRoutes {

    private static final String PATH = "/v1/schedules";
    private static final int USUAL_PAGE = 50;
    private static final int LARGEST_PAGE = 500;
    private static final int LARGEST_INPUT = 1024 * 1024;

    private final Scheduler scheduler;
    private final Workflows workflows;
    private final BudgetGuard budgetGuard;
    private final Quotas quotas;

    public ScheduleRoutes(Scheduler scheduler, Workflows workflows, BudgetGuard budgetGuard, Quotas quotas) {
        this.scheduler = scheduler;
        this.workflows = workflows;
        this.budgetGuard = budgetGuard;
        this.quotas = quotas;
    }

    public List<Route> routes() {
        return List.of(
                Route.put(PATH + "/{name}", PutSchedule.class, this::put)
                        .summary("Keep a schedule, in place of one of the same name; one that is paused stays so.")
                        .roles(Role.MEMBER)
                        .answers(ScheduleState.class)
                        .refuses(
                                ProblemCode.UNKNOWN_WORKFLOW,
                                ProblemCode.PAYLOAD_TOO_LARGE,
                                ProblemCode.OVER_LIMIT,
                                ProblemCode.TOO_MANY),
                Route.get(PATH, this::list)
                        .summary("The schedules of the mesh, by name.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("after", "only names after this one: the next of the page before")
                        .limit(USUAL_PAGE, LARGEST_PAGE)
                        .answers(ScheduleList.class),
                Route.get(PATH + "/{name}", this::show)
                        .summary("A schedule, and how it stands.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(ScheduleShown.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.delete(PATH + "/{name}", this::delete)
                        .summary("Delete a schedule. Jobs that it has started keep running.")
                        .roles(Role.MEMBER)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.post(PATH + "/{name}/pause", this::pause)
                        .summary("Let it not fire until it is resumed.")
                        .roles(Role.MEMBER)
                        .answers(ScheduleState.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.post(PATH + "/{name}/resume", this::resume)
                        .summary("Let it fire again, from the next moment on.")
                        .roles(Role.MEMBER)
                        .answers(ScheduleState.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.post(PATH + "/{name}/trigger", this::trigger)
                        .summary("Start one of its jobs now, also while it is paused; its moments stay as they are.")
                        .roles(Role.MEMBER)
                        .underKey()
                        .answers(Triggered.class)
                        .statuses(201, 200)
                        .refuses(
                                ProblemCode.NOT_FOUND,
                                ProblemCode.UNKNOWN_WORKFLOW,
                                ProblemCode.IDEMPOTENCY_KEY_REUSED,
                                ProblemCode.OVER_LIMIT));
    }

    private Answer put(Call call, PutSchedule wanted) {
        Schedule schedule = Call.understood(() -> schedule(call, wanted));
        if (schedule.input().length > LARGEST_INPUT) {
            throw new Problem(
                    ProblemCode.PAYLOAD_TOO_LARGE, "the input of a job has at most " + LARGEST_INPUT + " bytes");
        }
        try {
            int unused = workflows.version(schedule.workflow(), null);
        } catch (UnknownWorkflowException e) {
            throw unknown(e);
        }
        return keep(call, schedule);
    }

    private void requireRoom(Scheduler.Others others) {
        if (others.ofMember() >= quotas.schedulesOfMember()) {
            throw new QuotaExceededException(
                    "the member has " + others.ofMember() + " schedules", Quotas.SCHEDULES_OF_MEMBER);
        }
        if (others.ofMesh() >= quotas.schedules()) {
            throw new QuotaExceededException("the mesh has " + others.ofMesh() + " schedules", Quotas.SCHEDULES);
        }
    }

    /** Putting the same schedule again costs nothing, at least the first few times. */
    private Answer keep(Call call, Schedule schedule) {
        Fingerprint request = Fingerprint.of(
                "schedule",
                schedule.name(),
                schedule.cron().toString(),
                schedule.zone().getId(),
                schedule.fingerprint().hex());
        return budgetGuard.spend(call, false, new IdempotencyKey("schedule:" + request.hex()), request, () -> {
            return Answer.ok(state(scheduler.saveWithin(schedule, this::requireRoom)));
        });
    }

    private static Schedule schedule(Call call, PutSchedule wanted) {
        Json input = wanted.input() == null ? Json.ofNull() : wanted.input();
        Priority priority = wanted.priority() == null ? Priority.DEFAULT : wanted.priority();
        Envelope envelope = Envelope.ofJob(wanted.workflow(), input).withPriority(priority);
        return new Schedule(
                call.member().scope(),
                call.name("name"),
                wanted.workflow(),
                Cron.parse(wanted.cron()),
                zone(wanted.zone()),
                envelope.body().bytes(),
                Fingerprint.of(envelope),
                priority);
    }

    private static ZoneId zone(@Nullable String name) {
        try {
            return ZoneId.of(name == null ? "UTC" : name);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("'" + name + "' is no time zone such as Europe/Berlin", e);
        }
    }

    private Answer list(Call call) {
        int limit = call.number("limit", USUAL_PAGE, 1, LARGEST_PAGE);
        List<ScheduleState> page = scheduler.list(call.member().mesh(), call.parameter("after"), limit).stream()
                .map(ScheduleRoutes::state)
                .toList();
        return Answer.ok(new ScheduleList(
                page, page.size() < limit ? null : page.getLast().name()));
    }

    private Answer show(Call call) {
        String mesh = call.member().mesh();
        Schedule schedule = scheduler.read(mesh, call.name("name")).orElseThrow(Call::notFound);
        ScheduleView view = scheduler.find(mesh, call.name("name")).orElseThrow(Call::notFound);
        return Answer.ok(new ScheduleShown(
                state(view), schedule.scope().member(), RawJson.of(schedule.input()), schedule.priority()));
    }

    private Answer delete(Call call) {
        if (!scheduler.delete(call.member().mesh(), call.name("name"))) {
            throw Call.notFound();
        }
        return Answer.nothing();
    }

    private Answer pause(Call call) {
        ScheduleView view =
                scheduler.pause(call.member().mesh(), call.name("name")).orElseThrow(Call::notFound);
        return Answer.ok(state(view));
    }

    private Answer resume(Call call) {
        ScheduleView view =
                scheduler.resume(call.member().mesh(), call.name("name")).orElseThrow(Call::notFound);
        return Answer.ok(state(view));
    }

    private Answer trigger(Call call) {
        Fingerprint request = Call.understood(() -> Fingerprint.of("trigger", call.name("name")));
        return budgetGuard.spend(call, request, () -> triggerNow(call));
    }

    private Answer triggerNow(Call call) {
        ScopedKey key = new ScopedKey(call.member().scope(), call.key());
        try {
            return switch (scheduler.trigger(call.name("name"), key).orElseThrow(Call::notFound)) {
                case Accepted.Fresh fresh -> Answer.created(triggered(call, fresh.job(), false));
                case Accepted.Duplicate duplicate ->
                    Answer.ok(triggered(call, duplicate.job(), true)).header(Submissions.REPLAYED, "true");
                case Accepted.Reused reused -> throw Submissions.reused(reused.reuse());
            };
        } catch (UnknownWorkflowException e) {
            throw unknown(e);
        }
    }

    private static Triggered triggered(Call call, JobId job, boolean duplicate) {
        return new Triggered(job.value(), call.name("name"), call.key().value(), duplicate);
    }

    private static Problem unknown(UnknownWorkflowException e) {
        return new Problem(ProblemCode.UNKNOWN_WORKFLOW, String.valueOf(e.getMessage()));
    }

    private static ScheduleState state(ScheduleView view) {
        return new ScheduleState(
                view.name(),
                view.workflow(),
                view.cron().toString(),
                view.zone().getId(),
                view.nextAt(),
                view.isPaused(),
                view.firedFor().orElse(null),
                view.firedJob().map(JobId::value).orElse(null),
                view.trouble());
    }
}
