package dev.tallystick.engine.code;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.workflow.WorkflowChangedException;

/**
 * The end of the record of a body or branch. A question is recorded before any later question, so if a question is missing from
 * the record although later ones are there, the code has changed: the work that follows would run a second time, at another
 * place. Questions answered from their place alone use up a place and leave no record, so this check is what detects that they
 * are missing.
 */
final class ReplayFrontier {

    private boolean reached;

    /** Fails if nothing is recorded at this place but something is recorded after it. */
    void demandReached(JobExecution run, ActivityId asked, String prefix, int place) {
        reached = reached || !run.isRecordedBeyond(prefix, place);
        if (!reached) {
            throw run.poison(new WorkflowChangedException(asked.path(), asked.name()));
        }
    }
}
