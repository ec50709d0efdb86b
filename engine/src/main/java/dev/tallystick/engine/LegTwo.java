package dev.tallystick.engine;

import dev.tallystick.core.Step;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Leg 2 transition on its way into the ledgers.
 *
 * @param activity whose result it is
 * @param guid what it is
 * @param fence the fence under which the result was made; kept on the GUID row
 * @param delta what step 2 adds to the semaphore
 * @param outcome set if this transition ends the job, whatever is still open
 * @param output what the work brought, or null
 * @param error why it failed, or null
 * @param enters whether this counts an entry; a step of an entry that was counted before does not
 * @param steps which steps commit now, if they have not before
 * @param acknowledges whether the posting that this answers is gone afterwards
 * @param said a digest of what a worker elsewhere said; null if an engine says this
 * @param stackTrace of a failure, through the codec; null if there is none
 * @param opens whether it opens a dimension: what it brought is then kept with the transition, for the activity keeps the last one
 */
record LegTwo(
        ActivityId activity,
        Guid guid,
        long fence,
        int delta,
        @Nullable JobOutcome outcome,
        byte @Nullable [] output,
        @Nullable String error,
        boolean enters,
        Set<Step> steps,
        boolean acknowledges,
        @Nullable Said said,
        byte @Nullable [] stackTrace,
        boolean opens) {

    /** What an engine says, without a stack trace. */
    LegTwo(
            ActivityId activity,
            Guid guid,
            long fence,
            int delta,
            @Nullable JobOutcome outcome,
            byte @Nullable [] output,
            @Nullable String error,
            boolean enters,
            Set<Step> steps,
            boolean acknowledges) {
        this(activity, guid, fence, delta, outcome, output, error, enters, steps, acknowledges, null, null, false);
    }

    /** As this, as a worker elsewhere says it. */
    LegTwo said(@Nullable Said digest) {
        return new LegTwo(
                activity,
                guid,
                fence,
                delta,
                outcome,
                output,
                error,
                enters,
                steps,
                acknowledges,
                digest,
                stackTrace,
                opens);
    }

    /** As this, with what is kept of a failure beside its {@link #error()}. */
    LegTwo failed(@Nullable Fault fault) {
        byte[] trace = fault == null ? null : fault.stackTrace();
        return new LegTwo(
                activity, guid, fence, delta, outcome, output, error, enters, steps, acknowledges, said, trace, opens);
    }

    /** As this, of an activity each of whose transitions opens a dimension. */
    LegTwo opening() {
        return new LegTwo(
                activity,
                guid,
                fence,
                delta,
                outcome,
                output,
                error,
                enters,
                steps,
                acknowledges,
                said,
                stackTrace,
                true);
    }

    /** All of Leg 2 at once: entered, worked, spawned and, if it closes the job, completed. */
    static LegTwo whole(ActivityId activity, long fence, int delta, byte @Nullable [] output, @Nullable String error) {
        return new LegTwo(
                activity, Guid.of(activity, 0), fence, delta, null, output, error, true, Set.of(Step.values()), false);
    }

    /** All of Leg 2 at once, for a posting that is answered by it. */
    static LegTwo answering(Lease posting, byte @Nullable [] output, @Nullable String error) {
        return new LegTwo(
                posting.activity(),
                posting.guid(),
                posting.fence(),
                0,
                null,
                output,
                error,
                true,
                Set.of(Step.values()),
                true);
    }

    /** As this, for an activity that may have a posting, which is gone afterwards. */
    LegTwo acknowledging() {
        return new LegTwo(
                activity, guid, fence, delta, outcome, output, error, enters, steps, true, said, stackTrace, opens);
    }

    /** The Leg 2 that ends its job. */
    static LegTwo ending(
            ActivityId activity, long fence, JobOutcome outcome, byte @Nullable [] output, @Nullable String error) {
        return new LegTwo(
                activity, Guid.of(activity, 0), fence, 0, outcome, output, error, true, Set.of(Step.values()), true);
    }

    /** A part of this Leg 2. Only what takes the last step acknowledges. */
    LegTwo only(boolean entering, Set<Step> wanted) {
        boolean last = wanted.contains(Step.COMPLETION_TASKS);
        return new LegTwo(
                activity,
                guid,
                fence,
                delta,
                outcome,
                output,
                error,
                entering,
                wanted,
                acknowledges && last,
                said,
                stackTrace,
                opens);
    }

    /** About how much of it is payload. */
    int bytes() {
        return (output == null ? 0 : output.length) + (stackTrace == null ? 0 : stackTrace.length);
    }

    /** Whether this is all of Leg 2 of a step: it moves no semaphore and answers no posting. */
    boolean isStep() {
        return isWhole() && outcome == null && !acknowledges;
    }

    /** Whether this is all of the Leg 2 that ends its job and takes the posting away. */
    boolean ends() {
        return isWhole() && outcome != null && acknowledges;
    }

    /** Whether this {@link #ends} the job whose body is leased so. */
    boolean answers(Lease body) {
        return ends() && guid.equals(body.guid());
    }

    private boolean isWhole() {
        return enters && delta == 0 && steps.size() == Step.values().length;
    }
}
