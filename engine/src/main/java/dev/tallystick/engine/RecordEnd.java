package dev.tallystick.engine;

/**
 * Where the record of a body or branch ends. What is asked is on record before anything that is asked after it, so a question
 * that the record does not know while it goes on behind it comes from other code: what follows would be done once more, at
 * another place. Answers that follow from their place alone take one and leave no record, so this is how they are missed.
 */
final class RecordEnd {

    private boolean reached;

    /** Nothing is recorded at a place: that is right if nothing is recorded behind it. */
    void demandReached(BodyRun run, ActivityId asked, String prefix, int place) {
        reached = reached || !run.isRecordedBeyond(prefix, place);
        if (!reached) {
            throw run.breaking(new WorkflowChangedException(asked.path(), asked.name()));
        }
    }
}
