package dev.tallystick.engine;

import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.Question;
import dev.tallystick.engine.record.TaskStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskOutcome;
import dev.tallystick.workflow.TaskView;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where people find and answer the tasks that jobs have for them. Any number of processes may share the work.
 *
 * <p>Invariant: a task is resolved at most once, and its job gets exactly that answer, because the row and the signal commit
 * together. Identity before state: a repeated answer under the same key is confirmed again, whatever has happened since.
 *
 * <p>The caller authenticates people and knows their groups. Thread-safe.
 */
public final class TaskDesk {

    public static final int LARGEST_PAGE = 1_000;

    private final Database database;
    private final Engine engine;
    private final TaskStore store = new TaskStore();

    public TaskDesk(Database database, Engine engine) {
        this.database = database;
        this.engine = engine;
    }

    /** All open tasks of a mesh, oldest first; {@code after} is the last one of the previous page. */
    public List<TaskView> all(String mesh, @Nullable TaskId after, int limit) {
        return database.read("list tasks", tx -> store.all(tx, mesh, after, page(limit)));
    }

    /**
     * A task, and how it ended if it did.
     *
     * @param over completes the sentence "the task …"; null while it is open
     */
    public record Found(TaskView task, @Nullable String over) {}

    public Optional<Found> find(String mesh, TaskId id) {
        return database.read("read task", tx -> store.read(tx, mesh, id)).map(row -> new Found(row.view(), row.over()));
    }

    /** The tasks of a group, including claimed ones, oldest first; {@code after} is the last one of the previous page. */
    public List<TaskView> ofGroup(String mesh, String group, @Nullable TaskId after, int limit) {
        return database.read("list tasks", tx -> store.ofGroup(tx, mesh, group, after, page(limit)));
    }

    /** The tasks that a person holds, oldest first; {@code after} is the last one of the previous page. */
    public List<TaskView> heldBy(String mesh, Person person, @Nullable TaskId after, int limit) {
        return database.read("list tasks", tx -> store.heldBy(tx, mesh, person, after, page(limit)));
    }

    /** Assigns the task to this person; others can no longer claim it. */
    public TaskOutcome claim(String mesh, TaskId id, Person person) {
        return onOpen("claim task", mesh, id, (tx, task) -> {
            Optional<TaskOutcome> refused = heldByAnother(task, person);
            if (refused.isPresent()) {
                return refused.get();
            }
            boolean duplicate = task.view().assignee().isPresent();
            if (!duplicate) {
                store.assign(tx, id, person.id());
            }
            return new TaskOutcome.Done(duplicate);
        });
    }

    /** Returns a task that this person holds, so that others can claim it. A task for this person alone stays theirs. */
    public TaskOutcome release(String mesh, TaskId id, Person person) {
        return onOpen("release task", mesh, id, (tx, task) -> {
            Optional<TaskOutcome> refused = heldByAnother(task, person);
            if (refused.isPresent()) {
                return refused.get();
            }
            boolean goesBack =
                    task.view().assignee().isPresent() && task.view().group().isPresent();
            if (goesBack) {
                store.assign(tx, id, null);
            }
            return new TaskOutcome.Done(!goesBack);
        });
    }

    /** Passes the task to another group, even if it is claimed. Does nothing if that group already has it. */
    public TaskOutcome escalate(String mesh, TaskId id, String group) {
        Ask.requireName("group", group);
        return onOpen("escalate task", mesh, id, (tx, task) -> {
            // A repeat after a lost reply must not take the task from a person who has claimed it since.
            if (task.view().group().filter(group::equals).isPresent()) {
                return new TaskOutcome.Done(true);
            }
            store.handOn(tx, id, group);
            return new TaskOutcome.Done(false);
        });
    }

    /**
     * Answers a task. Anyone may answer an unclaimed task.
     *
     * @param key distinguishes this answer from others; a repeat reuses it
     */
    public TaskOutcome resolve(String mesh, TaskId id, Person person, byte[] answer, String key) {
        TaskOutcome outcome = database.transact("resolve task", tx -> {
            Optional<TaskStore.Row> row = store.lock(tx, mesh, id);
            if (row.isEmpty()) {
                return new TaskOutcome.NoSuchTask();
            }
            if (key.equals(row.get().resolveKey())) {
                return new TaskOutcome.Done(true);
            }
            Optional<TaskOutcome> refused = over(row.get()).or(() -> heldByAnother(row.get(), person));
            return refused.isPresent()
                    ? refused.get()
                    : answer(tx, mesh, row.get().view(), person, answer, key);
        });
        if (outcome instanceof TaskOutcome.Done) {
            engine.jobsAreDue();
        }
        return outcome;
    }

    private TaskOutcome answer(Tx tx, String mesh, TaskView task, Person person, byte[] answer, String key)
            throws SQLException {
        SentSignal.Id id = new SentSignal.Id(task.job(), Question.signal(task.id()), key);
        return switch (engine.signalIn(tx, new SentSignal(mesh, id, answer))) {
            case Signalled.Kept kept -> {
                store.resolve(tx, task.id(), person.id(), key);
                yield new TaskOutcome.Done(false);
            }
            case Signalled.JobClosed closed -> new TaskOutcome.Over("ended with its job");
            case Signalled.NoSuchJob gone -> new TaskOutcome.NoSuchTask();
        };
    }

    /** A change to an open task while it is locked. */
    private interface Change {
        TaskOutcome apply(Tx tx, TaskStore.Row task) throws SQLException;
    }

    private TaskOutcome onOpen(String name, String mesh, TaskId id, Change change) {
        return database.transact(name, tx -> {
            Optional<TaskStore.Row> row = store.lock(tx, mesh, id);
            if (row.isEmpty()) {
                return new TaskOutcome.NoSuchTask();
            }
            Optional<TaskOutcome> over = over(row.get());
            return over.isPresent() ? over.get() : change.apply(tx, row.get());
        });
    }

    private static Optional<TaskOutcome> over(TaskStore.Row row) {
        return Optional.ofNullable(row.over()).map(TaskOutcome.Over::new);
    }

    private static Optional<TaskOutcome> heldByAnother(TaskStore.Row task, Person person) {
        return task.holderOtherThan(person).map(TaskOutcome.HeldBy::new);
    }

    private static int page(int limit) {
        if (limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException("a page has 1 to " + LARGEST_PAGE + " tasks, got " + limit);
        }
        return limit;
    }
}
