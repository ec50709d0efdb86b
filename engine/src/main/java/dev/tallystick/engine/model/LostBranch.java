package dev.tallystick.engine.model;

import dev.tallystick.workflow.TaskId;
import java.util.List;

/**
 * A branch that its parent no longer waits for. The transaction that records the reason ends everything that the branch has
 * open.
 *
 * @param path of the branch; everything in the branch is below it
 * @param tasks that the branch may have opened for people
 */
public record LostBranch(String path, List<TaskId> tasks) {

    /** Recorded for everything that the branch had open. */
    public static final String ERROR = "its branch was ended: the others were decided without it";

    public LostBranch {
        tasks = List.copyOf(tasks);
    }
}
