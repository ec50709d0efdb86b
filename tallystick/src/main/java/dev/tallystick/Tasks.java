package dev.tallystick;

import dev.tallystick.engine.Codec;
import dev.tallystick.engine.Payloads;
import dev.tallystick.engine.Person;
import dev.tallystick.engine.TaskDesk;
import dev.tallystick.engine.TaskId;
import dev.tallystick.engine.TaskOutcome;
import dev.tallystick.engine.TaskView;
import java.util.List;

/**
 * What jobs ask people, for whoever shows it to them. Who somebody is, and to which groups they belong, is for you to know.
 * Thread-safe.
 */
public final class Tasks {

    private static final int PAGE = 100;

    private final TaskDesk desk;
    private final String mesh;
    private final Codec codec;

    Tasks(TaskDesk desk, String mesh, Codec codec) {
        this.desk = desk;
        this.mesh = mesh;
        this.codec = codec;
    }

    /** What a group is asked: the {@value #PAGE} oldest of it, also what somebody has claimed. */
    public List<Task> ofGroup(String group) {
        return tasks(desk.ofGroup(mesh, group, null, PAGE));
    }

    /** The next page. */
    public List<Task> ofGroup(String group, Task after) {
        return tasks(desk.ofGroup(mesh, group, after.id(), PAGE));
    }

    /** What a person has: the {@value #PAGE} oldest of it. */
    public List<Task> heldBy(String person) {
        return tasks(desk.heldBy(mesh, Person.named(person), null, PAGE));
    }

    /** The next page. */
    public List<Task> heldBy(String person, Task after) {
        return tasks(desk.heldBy(mesh, Person.named(person), after.id(), PAGE));
    }

    /** From now on it is this person's, and others leave it alone. */
    public TaskOutcome claim(TaskId task, String person) {
        return desk.claim(mesh, task, Person.named(person));
    }

    /** Whoever has it gives it back for others to claim. */
    public TaskOutcome release(TaskId task, String person) {
        return desk.release(mesh, task, Person.named(person));
    }

    /** Hands it to another group, whoever has it now. */
    public TaskOutcome escalate(TaskId task, String group) {
        return desk.escalate(mesh, task, group);
    }

    /**
     * Answers it: the job goes on with this.
     *
     * @param key tells this answer from others, and a repeat from the first: it gets the same reply, whatever happened since
     */
    public TaskOutcome resolve(TaskId task, String person, Object answer, String key) {
        return desk.resolve(mesh, task, Person.named(person), Payloads.encode(codec, answer), key);
    }

    private List<Task> tasks(List<TaskView> views) {
        return views.stream().map(view -> new Task(view, codec)).toList();
    }
}
