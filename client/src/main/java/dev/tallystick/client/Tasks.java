package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.TaskApi.ForPerson;
import dev.tallystick.core.api.TaskApi.HandOn;
import dev.tallystick.core.api.TaskApi.ResolveTask;
import dev.tallystick.core.api.TaskApi.Task;
import dev.tallystick.core.api.TaskApi.TaskDone;
import dev.tallystick.core.api.TaskApi.TaskList;
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

    /** A page of open tasks; {@code after} is the {@link TaskList#next()} of the previous page, null for the first. */
    public TaskList list(@Nullable UUID after, int limit) {
        return page(new Query(PATH), after, limit);
    }

    /** The open tasks of a group. */
    public TaskList ofGroup(String group, @Nullable UUID after, int limit) {
        return page(new Query(PATH).with("group", group), after, limit);
    }

    /** The open tasks of a person. */
    public TaskList heldBy(String person, @Nullable UUID after, int limit) {
        return page(new Query(PATH).with("person", person), after, limit);
    }

    /** A task, even if it is over. */
    public Task find(UUID task) {
        return transport.ask(Request.get(path(task)), Task.class, Task::taskId, task);
    }

    /** Claims a task: others cannot claim or answer it. */
    public TaskDone claim(UUID task, @Nullable String person) {
        return done(task, Request.post(path(task) + "/claim", new ForPerson(person)));
    }

    /** Gives a task back, for others of its group to claim. */
    public TaskDone release(UUID task, @Nullable String person) {
        return done(task, Request.post(path(task) + "/release", new ForPerson(person)));
    }

    /** Passes a task to another group. */
    public TaskDone escalate(UUID task, String group) {
        return done(task, Request.post(path(task) + "/escalate", new HandOn(group)));
    }

    /** Answers a task. The same key again is the same answer. */
    public TaskDone resolve(UUID task, Json answer, @Nullable String person, IdempotencyKey key) {
        ResolveTask body = new ResolveTask(answer, person);
        return done(task, Request.post(path(task) + "/resolve", body).under(key.value()));
    }

    private TaskList page(Query query, @Nullable UUID after, int limit) {
        return transport.ask(query.with("after", after).with("limit", limit).read(), TaskList.class);
    }

    private TaskDone done(UUID task, Request request) {
        return transport.ask(request, TaskDone.class, TaskDone::taskId, task);
    }

    private static String path(UUID task) {
        return PATH + "/" + task;
    }
}
