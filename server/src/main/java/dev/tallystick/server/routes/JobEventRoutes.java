package dev.tallystick.server.routes;

import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.JobApi.EventPage;
import dev.tallystick.core.api.JobApi.JobActivities;
import dev.tallystick.engine.view.ActivityInfo;
import dev.tallystick.engine.view.JobEvents;
import dev.tallystick.engine.view.JobInfo;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.LongPollAnswer;
import dev.tallystick.server.http.LongPolls;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The events of a job, and the state of its activities. */
public final class JobEventRoutes {

    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);
    private static final int USUAL_PAGE = 100;

    private final MeshJobs jobs;
    private final JobEvents events;
    private final LongPolls longPolls;
    private final LongPollAnswer longPollAnswer;

    public JobEventRoutes(MeshJobs jobs, JobEvents events, LongPolls longPolls) {
        this.jobs = jobs;
        this.events = events;
        this.longPolls = longPolls;
        this.longPollAnswer = new LongPollAnswer(longPolls, LOOK_AGAIN);
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/jobs/{id}/events", this::events)
                        .summary(
                                "What happened to the job, in the order of positions. A reader that continues from next misses"
                                        + " nothing.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("after", "the position to continue from")
                        .limit(USUAL_PAGE, JobEvents.LARGEST_PAGE)
                        .query("wait", "seconds to wait for something new, at most 60")
                        .answers(EventPage.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get("/v1/jobs/{id}/activities", this::activities)
                        .summary(
                                "The activities of the job as they stand, with their ledgers, in the order in which they were"
                                        + " entered.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("after", "only those entered after this one: the next of the page before")
                        .limit(USUAL_PAGE, ActivityInfo.LARGEST_PAGE)
                        .answers(JobActivities.class)
                        .refuses(ProblemCode.NOT_FOUND));
    }

    private Answer events(Call call) {
        JobInfo job = jobs.job(call);
        long after = after(call);
        int limit = call.number("limit", USUAL_PAGE, 1, JobEvents.LARGEST_PAGE);
        EventPage nothing = new EventPage(job.id().value(), List.of(), after);
        return longPollAnswer.answer(
                call,
                call.wait("wait", longPolls.longest()),
                () -> {
                    // Read before the events: a job that is seen closed has nothing to wait for.
                    boolean closed = jobs.job(call).outcome() != null;
                    return page(job, after, limit).or(() -> closed ? Optional.of(nothing) : Optional.empty());
                },
                nothing);
    }

    private Optional<EventPage> page(JobInfo job, long after, int limit) {
        List<EventPage.Event> page = events.read(job.mesh(), job.id(), after, limit);
        return page.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new EventPage(job.id().value(), page, page.getLast().position()));
    }

    private static long after(Call call) {
        String text = call.parameter("after");
        if (text == null) {
            return JobEvents.BEGINNING;
        }
        try {
            return Math.max(JobEvents.BEGINNING, Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, "after is a position: a whole number");
        }
    }

    private Answer activities(Call call) {
        JobInfo job = jobs.job(call);
        String after = call.parameter("after");
        ActivityInfo.Place last = after == null ? null : Call.understood(() -> ActivityInfo.Place.parse(after));
        int limit = call.number("limit", USUAL_PAGE, 1, ActivityInfo.LARGEST_PAGE);
        List<ActivityInfo> page = jobs.reader().activities(job.mesh(), job.id(), last, limit);
        return Answer.ok(new JobActivities(
                job.id().value(),
                page.stream().map(JobEventRoutes::activity).toList(),
                page.size() < limit ? null : page.getLast().place().toString()));
    }

    private static JobActivities.Activity activity(ActivityInfo each) {
        return new JobActivities.Activity(
                each.path(),
                each.name(),
                each.kind(),
                each.ledger(),
                each.attempts(),
                each.enteredAt(),
                each.returnedAt(),
                each.error());
    }
}
