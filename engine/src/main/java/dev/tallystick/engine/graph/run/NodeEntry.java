package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A node being entered, or the arrival of a branch at a join.
 *
 * @param kind the kind of the node
 * @param complete whether Leg 1 is complete, so there is something to do; false for a join that waits for further branches
 * @param input the input of the activity, if any
 * @param arrived the branches that have arrived at a join; null if the node is not a join
 * @param skipped the arrived branches that were not taken
 */
record NodeEntry(
        ActivityId activity,
        String kind,
        boolean complete,
        byte @Nullable [] input,
        @Nullable Long arrived,
        @Nullable Long skipped,
        @Nullable Posting posting) {

    /**
     * The work to be done for the node.
     *
     * @param key identifies the work to foreign systems, if its GUID does not
     * @param due the delay until it is due; null if it does not depend on time
     * @param awaits the signal that also ends the wait
     * @param owner the process that leases it immediately
     * @param input the input of the work, if its activity is entered more than once and so cannot hold it for each entry
     */
    record Posting(
            Guid guid,
            @Nullable Guid key,
            String queue,
            @Nullable Duration due,
            @Nullable String awaits,
            @Nullable String owner,
            byte @Nullable [] input) {

        Posting carrying(byte[] bytes) {
            return new Posting(guid, key, queue, due, awaits, owner, bytes);
        }
    }
}
