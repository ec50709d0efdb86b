package dev.tallystick.engine;

/** What came of an attempt to claim, release, hand on or resolve a task. */
public sealed interface TaskOutcome {

    /**
     * It is as was asked for.
     *
     * @param duplicate whether it was so already, by the same person or under the same key
     */
    record Done(boolean duplicate) implements TaskOutcome {}

    /** Nothing changed: this person has it. */
    record HeldBy(String person) implements TaskOutcome {}

    /** Nothing changed: the task is no longer open. {@code how} it ended completes the sentence "the task …". */
    record Over(String how) implements TaskOutcome {}

    /** Nothing changed: there is no such task in this mesh. */
    record NoSuchTask() implements TaskOutcome {}
}
