package dev.tallystick.engine;

import java.util.List;

/**
 * A branch that its parent no longer waits for. The transaction that records why ends all that it has open.
 *
 * @param path where the branch is; everything of it is below
 * @param tasks what it may have asked people
 */
record LostBranch(String path, List<TaskId> tasks) {

    /** What is recorded for whatever it had open. */
    static final String ERROR = "its branch was ended: the others were decided without it";

    LostBranch {
        tasks = List.copyOf(tasks);
    }
}
