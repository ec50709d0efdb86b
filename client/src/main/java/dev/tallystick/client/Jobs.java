package dev.tallystick.client;

import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
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

    /**
     * A job.
     *
     * @param status {@code open}, or how it ended
     * @param error why it did not complete; null otherwise
     * @param closedAt null while it is open
     * @param parent the job that waits for it; null for none
     * @param continuedFrom the job that it continues; null for none
     * @param key the key it was submitted under; null if it was started otherwise, or the server no longer knows it
     * @param lastError the last failure in it; null for none, and in lists
     */
    public record Job(
            UUID id,
            String workflow,
            int version,
            Priority priority,
            String status,
            @Nullable String error,
            Instant createdAt,
            @Nullable Instant closedAt,
            @Nullable UUID parent,
            @Nullable UUID continuedFrom,
            @Nullable String key,
            Map<String, String> attributes,
            @Nullable LastError lastError) {

        static Job of(Fields fields) {
            return new Job(
                    fields.text("job_id", UUID::fromString),
                    fields.text("workflow"),
                    fields.count("version"),
                    fields.text("priority", Priority::parse),
                    fields.text("status"),
                    fields.optionalText("error"),
                    fields.text("created_at", Instant::parse),
                    fields.optionalText("closed_at", Instant::parse),
                    fields.optionalText("parent", UUID::fromString),
                    fields.optionalText("continued_from", UUID::fromString),
                    fields.optionalText("key"),
                    words(fields.objectIfThere("attributes", Function.identity())),
                    fields.objectIfThere("last_error", LastError::of));
        }

        private static Map<String, String> words(@Nullable Fields attributes) {
            Map<String, String> words = new TreeMap<>();
            if (attributes != null) {
                attributes.object().members().keySet().forEach(name -> words.put(name, attributes.text(name)));
            }
            return Map.copyOf(words);
        }

        public boolean isOpen() {
            return status.equals("open");
        }
    }

    /**
     * The last failure in a job that has not succeeded since.
     *
     * @param activity {@code $main} is the body itself
     * @param at null if only the error was kept
     * @param stackTrace with all causes, shortened; null if there is none
     */
    public record LastError(
            String path,
            String activity,
            String error,
            @Nullable Instant at,
            @Nullable String stackTrace) {

        static LastError of(Fields fields) {
            return new LastError(
                    fields.text("path"),
                    fields.text("activity"),
                    fields.text("error"),
                    fields.optionalText("at", Instant::parse),
                    fields.optionalText("stack_trace"));
        }
    }

    /**
     * Some jobs, the newest first.
     *
     * @param next the job to continue from; null on the last page
     */
    public record Page(List<Job> jobs, @Nullable UUID next) {}

    /** What a job waits for. */
    public record Why(String state, List<Wait> waits, boolean hasMore) {

        /**
         * One thing that a job waits for.
         *
         * @param mover what would move it
         */
        public record Wait(String what, Instant since, String mover) {

            static Wait of(Fields fields) {
                return new Wait(fields.text("what"), fields.text("since", Instant::parse), fields.text("mover"));
            }
        }
    }

    /**
     * An activity of a job.
     *
     * @param ledger its 15 digits
     * @param returnedAt null until it is done
     * @param error why it failed; null otherwise
     */
    public record Activity(
            String path,
            String name,
            String kind,
            String ledger,
            int attempts,
            Instant enteredAt,
            @Nullable Instant returnedAt,
            @Nullable String error) {

        static Activity of(Fields fields) {
            return new Activity(
                    fields.text("path"),
                    fields.text("name"),
                    fields.text("kind"),
                    fields.text("ledger"),
                    fields.count("attempts"),
                    fields.text("entered_at", Instant::parse),
                    fields.optionalText("returned_at", Instant::parse),
                    fields.optionalText("error"));
        }
    }

    /**
     * An event of a job.
     *
     * @param event {@code accepted}, {@code entered}, {@code signalled}, {@code returned}, {@code failed} or {@code closed}
     * @param path the activity; null for an event of the job itself
     * @param outcome how it ended; null if it did not
     * @param error why it failed; null if it did not
     */
    public record Event(
            long position,
            String event,
            @Nullable String path,
            @Nullable String name,
            @Nullable String kind,
            @Nullable String outcome,
            @Nullable String error,
            Instant at) {

        static Event of(Fields fields) {
            return new Event(
                    fields.number("position"),
                    fields.text("event"),
                    fields.optionalText("path"),
                    fields.optionalText("name"),
                    fields.optionalText("kind"),
                    fields.optionalText("outcome"),
                    fields.optionalText("error"),
                    fields.text("at", Instant::parse));
        }
    }

    /**
     * Some events, in the order of positions.
     *
     * @param next the position to continue from, whether or not there is more by now
     */
    public record EventPage(List<Event> events, long next) {}

    private record ActivityPage(
            List<Activity> activities, @Nullable String next) {}

    /** A page of jobs; {@code before} is the {@link Page#next()} of the previous page, null for the first. */
    public Page list(Filter filter, @Nullable UUID before, int limit) {
        Query query = new Query(PATH)
                .with("workflow", filter.workflow())
                .with("status", filter.status())
                .with("since", filter.since())
                .with("until", filter.until())
                .with("before", before)
                .with("limit", limit);
        filter.attributes().forEach((name, value) -> query.with("attribute." + name, value));
        return transport.ask(
                query.read(),
                page -> new Page(page.list("jobs", Job::of), page.optionalText("next", UUID::fromString)));
    }

    /** The job of a key of the member. */
    public Job findByKey(IdempotencyKey key) {
        return transport.ask(new Query(PATH).with("key", key).read(), answer -> {
            List<Job> jobs = answer.list("jobs", Job::of);
            if (jobs.size() != 1) {
                throw new ForeignAnswer("it has " + jobs.size() + " jobs for one key");
            }
            return jobs.getFirst();
        });
    }

    public Job find(UUID job) {
        return transport.ask(Request.get(path(job)), answer -> Job.of(answer.about("job_id", job)));
    }

    /** What the job waits for, since when, and what would move it. */
    public Why why(UUID job) {
        return transport.ask(
                Request.get(path(job) + "/why"),
                why -> new Why(
                        why.about("job_id", job).text("state"), why.list("waits", Why.Wait::of), why.flag("has_more")));
    }

    /**
     * The receipt of the job: what proves its acceptance, and its end once it has one, to everyone who trusts the key of the
     * log. {@code tally verify} checks it.
     */
    public Json.ObjectValue receipt(UUID job) {
        return transport.ask(
                Request.get(path(job) + "/receipt"),
                answer -> Fields.of(answer.about("job_id", job).json("receipt")).object());
    }

    /** The activities of the job and their state, in the order in which they were entered. Reads all pages. */
    public List<Activity> activities(UUID job) {
        List<Activity> activities = new ArrayList<>();
        String next = null;
        do {
            Query query =
                    new Query(path(job) + "/activities").with("after", next).with("limit", ACTIVITIES_PAGE);
            ActivityPage page = transport.ask(
                    query.read(),
                    answer -> new ActivityPage(
                            answer.about("job_id", job).list("activities", Activity::of), answer.optionalText("next")));
            activities.addAll(page.activities());
            next = page.next();
        } while (next != null);
        return activities;
    }

    /** The events of the job after a position, as they come, until it has ended. */
    public EventStream<Event> follow(UUID job, long after) {
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
        return transport.ask(query.read().waiting(wait), page -> {
            List<Event> events = page.about("job_id", job).list("events", Event::of);
            requireOrder(after, events);
            return new EventPage(events, page.number("next"));
        });
    }

    private static void requireOrder(long after, List<Event> events) {
        long last = after;
        for (Event event : events) {
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
