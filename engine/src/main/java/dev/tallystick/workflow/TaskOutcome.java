package dev.tallystick.workflow;

/** The result of claiming, releasing, escalating or resolving a task. */
public sealed interface TaskOutcome {

    /**
     * The task is as requested.
     *
     * @param duplicate whether it already was, through the same person or under the same key
     */
    record Done(boolean duplicate) implements TaskOutcome {}

    /** Nothing changed: this person holds the task. */
    record HeldBy(String person) implements TaskOutcome {}

    /** Nothing changed: the task is no longer open. {@code how} it ended completes the sentence "the task …". */
    record Over(String how) implements TaskOutcome {}

    /** Nothing changed: this mesh has no such task. */
    record NoSuchTask() implements TaskOutcome {}
}
