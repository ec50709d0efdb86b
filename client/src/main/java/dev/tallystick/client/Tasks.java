package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that jobs give to people. A null {@code person} means the token's member; only an admin acts for others. Thread-safe.
 */
public final class Tasks {

    private static final String PATH = "/v1/tasks";

    private final Transport transport;

    Tasks(Transport transport) {
        this.transport = transport;
    }

    /**
     * A task.
     *
     * @param group who may claim it; null if it is for one person
     * @param assignee who has claimed it; null while it is unclaimed
     * @param escalations how often it was passed on
     * @param dueAt when it escalates or expires; null if never
     * @param over how it ended; null while it is open
     */
    public record Task(
            UUID id,
            UUID job,
            String name,
            @Nullable String group,
            @Nullable String assignee,
            Json details,
            int escalations,
            Instant askedAt,
            @Nullable Instant dueAt,
            @Nullable String over) {

        static Task of(Fields fields) {
            return new Task(
                    fields.text("task_id", UUID::fromString),
                    fields.text("job_id", UUID::fromString),
                    fields.text("name"),
                    fields.optionalText("group"),
                    fields.optionalText("assignee"),
                    fields.json("details"),
                    fields.count("escalations"),
                    fields.text("asked_at", Instant::parse),
                    fields.optionalText("due_at", Instant::parse),
                    fields.optionalText("over"));
        }

        public boolean isOpen() {
            return over == null;
        }
    }

    /**
     * Some open tasks, the oldest first.
     *
     * @param next the task to continue after; null on the last page
     */
    public record Page(List<Task> tasks, @Nullable UUID next) {}

    /**
     * The requested change was made.
     *
     * @param duplicate whether it had been made before
     */
    public record Done(UUID task, boolean duplicate) {}

    /** A page of open tasks; {@code after} is the {@link Page#next()} of the previous page, null for the first. */
    public Page list(@Nullable UUID after, int limit) {
        return page(new Query(PATH), after, limit);
    }

    /** The open tasks of a group. */
    public Page ofGroup(String group, @Nullable UUID after, int limit) {
        return page(new Query(PATH).with("group", group), after, limit);
    }

    /** The open tasks of a person. */
    public Page heldBy(String person, @Nullable UUID after, int limit) {
        return page(new Query(PATH).with("person", person), after, limit);
    }

    /** A task, even if it is over. */
    public Task find(UUID task) {
        return transport.ask(Request.get(path(task)), answer -> Task.of(answer.about("task_id", task)));
    }

    /** Claims a task: others cannot claim or answer it. */
    public Done claim(UUID task, @Nullable String person) {
        return done(task, Request.post(path(task) + "/claim", by(person).json()));
    }

    /** Gives a task back, for others of its group to claim. */
    public Done release(UUID task, @Nullable String person) {
        return done(task, Request.post(path(task) + "/release", by(person).json()));
    }

    /** Passes a task to another group. */
    public Done escalate(UUID task, String group) {
        return done(
                task,
                Request.post(
                        path(task) + "/escalate",
                        new Body().with("group", group).json()));
    }

    /** Answers a task. The same key again is the same answer. */
    public Done resolve(UUID task, Json answer, @Nullable String person, IdempotencyKey key) {
        Body body = by(person).with("answer", answer);
        return done(task, Request.post(path(task) + "/resolve", body.json()).under(key.value()));
    }

    private Page page(Query query, @Nullable UUID after, int limit) {
        return transport.ask(
                query.with("after", after).with("limit", limit).read(),
                page -> new Page(page.list("tasks", Task::of), page.optionalText("next", UUID::fromString)));
    }

    private Done done(UUID task, Request request) {
        return transport.ask(
                request, answer -> new Done(task, answer.about("task_id", task).flag("duplicate")));
    }

    private static Body by(@Nullable String person) {
        return new Body().with("person", person);
    }

    private static String path(UUID task) {
        return PATH + "/" + task;
    }
}
