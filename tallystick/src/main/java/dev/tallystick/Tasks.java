package dev.tallystick;

import dev.tallystick.engine.TaskDesk;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskOutcome;
import dev.tallystick.workflow.TaskView;
import java.util.List;

/**
 * The tasks that jobs have for people, for applications that present them. Your application authenticates people and knows
 * their groups. Thread-safe.
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

    /** The {@value #PAGE} oldest tasks of a group, including claimed ones. */
    public List<Task> ofGroup(String group) {
        return tasks(desk.ofGroup(mesh, group, null, PAGE));
    }

    /** The next page. */
    public List<Task> ofGroup(String group, Task after) {
        return tasks(desk.ofGroup(mesh, group, after.id(), PAGE));
    }

    /** The {@value #PAGE} oldest tasks that a person holds. */
    public List<Task> heldBy(String person) {
        return tasks(desk.heldBy(mesh, Person.named(person), null, PAGE));
    }

    /** The next page. */
    public List<Task> heldBy(String person, Task after) {
        return tasks(desk.heldBy(mesh, Person.named(person), after.id(), PAGE));
    }

    /** Assigns the task to this person; others can no longer claim it. */
    public TaskOutcome claim(TaskId task, String person) {
        return desk.claim(mesh, task, Person.named(person));
    }

    /** Returns a task that this person holds, so that others can claim it. */
    public TaskOutcome release(TaskId task, String person) {
        return desk.release(mesh, task, Person.named(person));
    }

    /** Passes the task to another group, even if it is claimed. */
    public TaskOutcome escalate(TaskId task, String group) {
        return desk.escalate(mesh, task, group);
    }

    /**
     * Answers the task: the job continues with this answer.
     *
     * @param key distinguishes this answer from others; a repeat reuses it and gets the same reply, whatever happened since
     */
    public TaskOutcome resolve(TaskId task, String person, Object answer, String key) {
        return desk.resolve(mesh, task, Person.named(person), Payloads.encode(codec, answer), key);
    }

    private List<Task> tasks(List<TaskView> views) {
        return views.stream().map(view -> new Task(view, codec)).toList();
    }
}
