package dev.tallystick.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A node that is entered, or a join that a branch has arrived at.
 *
 * @param kind what the node is
 * @param complete whether Leg 1 is, so that there is something to do; not so for a join that waits for further branches
 * @param input what the activity gets, if anything
 * @param arrived the branches that have arrived at a join; null if it is none
 * @param skipped those of them that were not taken
 */
record GraphDispatch(
        ActivityId activity,
        String kind,
        boolean complete,
        byte @Nullable [] input,
        @Nullable Long arrived,
        @Nullable Long skipped,
        @Nullable Posting posting) {

    /**
     * What somebody has to do for it.
     *
     * @param key what its work is called outside, if not by its GUID
     * @param due when, counted from now; null if it is not a matter of time
     * @param awaits the signal that would do as well
     * @param owner who has leased it at once
     * @param input what the work gets, if its activity is entered more than once and so cannot keep it for each
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
