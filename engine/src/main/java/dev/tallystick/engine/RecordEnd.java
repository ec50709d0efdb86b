package dev.tallystick.engine;

/**
 * The end of the record of a body or branch. A question is recorded before any later question, so if a question is missing from
 * the record although later ones are there, the code has changed: the work that follows would run a second time, at another
 * place. Questions answered from their place alone use up a place and leave no record, so this check is what detects that they
 * are missing.
 */
final class RecordEnd {

    private boolean reached;

    /** Fails if nothing is recorded at this place but something is recorded after it. */
    void demandReached(BodyRun run, ActivityId asked, String prefix, int place) {
        reached = reached || !run.isRecordedBeyond(prefix, place);
        if (!reached) {
            throw run.breaking(new WorkflowChangedException(asked.path(), asked.name()));
        }
    }
}
