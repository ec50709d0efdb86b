package dev.tallystick.client;

import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.JobApi.EventPage;
import dev.tallystick.core.api.JobApi.JobActivities;
import dev.tallystick.core.api.JobApi.JobErased;
import dev.tallystick.core.api.JobApi.JobList;
import dev.tallystick.core.api.JobApi.JobView;
import dev.tallystick.core.api.JobApi.JobWhy;
import dev.tallystick.core.api.ReceiptApi.JobReceipt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The jobs of the mesh: find, inspect and follow them. {@link TallyClient} submits and controls them. Thread-safe. */
public final class Jobs {

    /** The position before the first event of a job. */
    public static final long BEGINNING = 0;

    private static final String PATH = "/v1/jobs";
    private static final int ACTIVITIES_PAGE = 1_000;

    private final Transport transport;

    Jobs(Transport transport) {
        this.transport = transport;
    }

    /**
     * Selects jobs; null means any.
     *
     * @param status {@code open}, or how they ended
     * @param since submitted then or later
     * @param until submitted earlier
     */
    public record Filter(
            @Nullable String workflow,
            @Nullable String status,
            @Nullable Instant since,
            @Nullable Instant until,
            Map<String, String> attributes) {

        public static final Filter ALL = new Filter(null, null, null, null, Map.of());

        public Filter {
            attributes = Map.copyOf(attributes);
        }

        public Filter ofWorkflow(String name) {
            return new Filter(name, status, since, until, attributes);
        }

        public Filter withStatus(String word) {
            return new Filter(workflow, word, since, until, attributes);
        }

        public Filter submittedBetween(Instant from, Instant to) {
            return new Filter(workflow, status, from, to, attributes);
        }

        public Filter withAttribute(String name, String value) {
            Map<String, String> more = new TreeMap<>(attributes);
            more.put(name, value);
            return new Filter(workflow, status, since, until, more);
        }
    }

    /** A page of jobs; {@code before} is the {@link JobList#next()} of the previous page, null for the first. */
    public JobList list(Filter filter, @Nullable UUID before, int limit) {
        Query query = new Query(PATH)
                .with("workflow", filter.workflow())
                .with("status", filter.status())
                .with("since", filter.since())
                .with("until", filter.until())
                .with("before", before)
                .with("limit", limit);
        filter.attributes().forEach((name, value) -> query.with("attribute." + name, value));
        return transport.ask(query.read(), JobList.class);
    }

    /** The job of a key of the member. */
    public JobView findByKey(IdempotencyKey key) {
        return transport.ask(new Query(PATH).with("key", key).read(), JobList.class, answer -> {
            if (answer.jobs().size() != 1) {
                throw new ForeignAnswer("it has " + answer.jobs().size() + " jobs for one key");
            }
            return answer.jobs().getFirst();
        });
    }

    public JobView find(UUID job) {
        return transport.ask(Request.get(path(job)), JobView.class, JobView::jobId, job);
    }

    /** What the job waits for, since when, and what would move it. */
    public JobWhy why(UUID job) {
        return transport.ask(Request.get(path(job) + "/why"), JobWhy.class, JobWhy::jobId, job);
    }

    /**
     * The receipt of the job: what proves its acceptance, and its end once it has one, to everyone who trusts the key of the
     * log. {@code tally verify} checks it.
     *
     * @param shown the fields of its records that the receipt opens, such as {@code outcome} and {@code output}; without any,
     *     all of them. The others stay closed, and the receipt verifies without them
     */
    public Json.ObjectValue receipt(UUID job, String... shown) {
        return transport.ask(
                new Query(path(job) + "/receipt")
                        .with("show", shown.length == 0 ? null : String.join(",", shown))
                        .read(),
                JobReceipt.class,
                answer -> Transport.about(Fields.of(answer.receipt().json()).object(), answer.jobId(), job));
    }

    /**
     * Deletes everything personal of a closed job, for good; its proofs stay valid. Needs a token of an admin. Repeats give the
     * first answer.
     */
    public JobErased erase(UUID job) {
        return transport.ask(Request.post(path(job) + "/erase"), JobErased.class, JobErased::jobId, job);
    }

    /** The activities of the job and their state, in the order in which they were entered. Reads all pages. */
    public List<JobActivities.Activity> activities(UUID job) {
        List<JobActivities.Activity> activities = new ArrayList<>();
        String next = null;
        do {
            Query query =
                    new Query(path(job) + "/activities").with("after", next).with("limit", ACTIVITIES_PAGE);
            JobActivities page = transport.ask(query.read(), JobActivities.class, JobActivities::jobId, job);
            activities.addAll(page.activities());
            next = page.next();
        } while (next != null);
        return activities;
    }

    /** The events of the job after a position, as they come, until it has ended. */
    public EventStream<EventPage.Event> follow(UUID job, long after) {
        return new Feed<>(new FollowedJob(this, job), after);
    }

    /**
     * The events of the job after a position, after {@code wait} at the latest; at most a minute. Continue from {@link
     * EventPage#next()} to miss nothing.
     */
    public EventPage events(UUID job, long after, int limit, Duration wait) {
        Query query = new Query(path(job) + "/events")
                .with("after", after)
                .with("limit", limit)
                .withSeconds("wait", wait);
        return transport.ask(query.read().waiting(wait), EventPage.class, page -> {
            requireOrder(after, page.events());
            return Transport.about(page, page.jobId(), job);
        });
    }

    private static void requireOrder(long after, List<EventPage.Event> events) {
        long last = after;
        for (EventPage.Event event : events) {
            if (event.position() <= last) {
                throw new ForeignAnswer("position " + event.position() + " comes after position " + last);
            }
            last = event.position();
        }
    }

    private static String path(UUID job) {
        return PATH + "/" + job;
    }
}
