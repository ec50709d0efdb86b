package dev.tallystick.engine.model;

import dev.tallystick.core.Step;
import dev.tallystick.workflow.JobOutcome;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Leg 2 transition to be written to the ledgers.
 *
 * @param activity whose result it is
 * @param guid the identity of the transition
 * @param fence the fence under which the result was produced; kept on the GUID row
 * @param delta the number that step 2 adds to the semaphore
 * @param outcome set if this transition ends the job, regardless of what is still open
 * @param output the result of the work, or null
 * @param error why it failed, or null
 * @param enters whether this counts an entry; a step of an entry that was already counted does not
 * @param steps the steps to commit now unless they are already committed
 * @param acknowledges whether this removes the posting that it answers
 * @param resultDigest a digest of a remote worker's result; null if an engine produced it
 * @param stackTrace of a failure, encoded by the codec; null if there is none
 * @param opens whether it opens a dimension; its output is then kept with the transition, because the activity keeps only the
 *     last one
 */
public record LegTwo(
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
        @Nullable ResultDigest resultDigest,
        byte @Nullable [] stackTrace,
        boolean opens) {

    /** A copy with the digest of a remote worker's result. */
    public LegTwo said(@Nullable ResultDigest digest) {
        return copy(enters, steps, acknowledges, digest, stackTrace, opens);
    }

    /** A copy with the details kept for a failure in addition to its {@link #error()}. */
    public LegTwo failed(@Nullable Fault fault) {
        return copy(enters, steps, acknowledges, resultDigest, fault == null ? null : fault.stackTrace(), opens);
    }

    /** A copy for an activity whose every transition opens a dimension. */
    public LegTwo opening() {
        return copy(enters, steps, acknowledges, resultDigest, stackTrace, true);
    }

    /** The whole Leg 2 at once: entered, worked, spawned and, if it closes the job, completed. */
    public static LegTwo whole(
            ActivityId activity, long fence, int delta, byte @Nullable [] output, @Nullable String error) {
        return whole(new Lease(activity, Guid.of(activity, 0), fence), delta, null, output, error, false);
    }

    /** The whole Leg 2 at once, answering a posting. */
    public static LegTwo answering(Lease posting, byte @Nullable [] output, @Nullable String error) {
        return answering(posting, 0, null, output, error);
    }

    /** The whole Leg 2 at once, answering a posting; it moves the semaphore, and ends the job if it has an outcome. */
    public static LegTwo answering(
            Lease posting, int delta, @Nullable JobOutcome outcome, byte @Nullable [] output, @Nullable String error) {
        return whole(posting, delta, outcome, output, error, true);
    }

    /** A copy that also removes the activity's posting, if it has one. */
    public LegTwo acknowledging() {
        return copy(enters, steps, true, resultDigest, stackTrace, opens);
    }

    /** The Leg 2 that ends its job. */
    public static LegTwo ending(
            ActivityId activity, long fence, JobOutcome outcome, byte @Nullable [] output, @Nullable String error) {
        return answering(new Lease(activity, Guid.of(activity, 0), fence), 0, outcome, output, error);
    }

    private static LegTwo whole(
            Lease of,
            int delta,
            @Nullable JobOutcome outcome,
            byte @Nullable [] output,
            @Nullable String error,
            boolean acknowledges) {
        return new LegTwo(
                of.activity(),
                of.guid(),
                of.fence(),
                delta,
                outcome,
                output,
                error,
                true,
                Set.of(Step.values()),
                acknowledges,
                null,
                null,
                false);
    }

    /** A part of this Leg 2. Only the part with the last step acknowledges. */
    public LegTwo only(boolean entering, Set<Step> wanted) {
        boolean last = wanted.contains(Step.COMPLETION_TASKS);
        return copy(entering, wanted, acknowledges && last, resultDigest, stackTrace, opens);
    }

    private LegTwo copy(
            boolean entering,
            Set<Step> some,
            boolean acknowledging,
            @Nullable ResultDigest digest,
            byte @Nullable [] trace,
            boolean opening) {
        return new LegTwo(
                activity,
                guid,
                fence,
                delta,
                outcome,
                output,
                error,
                entering,
                some,
                acknowledging,
                digest,
                trace,
                opening);
    }

    /** The approximate payload size. */
    int bytes() {
        return (output == null ? 0 : output.length) + (stackTrace == null ? 0 : stackTrace.length);
    }

    /** Whether this is the whole Leg 2 of a step: it leaves the semaphore alone and answers no posting. */
    boolean isStep() {
        return isWhole() && outcome == null && !acknowledges;
    }

    /** Whether this is the whole Leg 2 that ends its job and removes the posting. */
    public boolean ends() {
        return isWhole() && outcome != null && acknowledges;
    }

    /** Whether this {@link #ends} the job whose body has this lease. */
    boolean answers(Lease body) {
        return ends() && guid.equals(body.guid());
    }

    private boolean isWhole() {
        return enters && delta == 0 && steps.size() == Step.values().length;
    }
}
