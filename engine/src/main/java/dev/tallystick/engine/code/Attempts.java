package dev.tallystick.engine.code;

import dev.tallystick.core.Unwinding;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.TimeLimit;
import dev.tallystick.workflow.MisuseException;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.StepFailedException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The attempts at one step, run on the thread of the body or branch that called it. The last failure is the step's result. */
final class Attempts {

    private final ReplayContext replayContext;
    private final JobExecution run;
    private final ActivityId activity;
    private final int before;
    private final Retry retry;

    /** @param before how many attempts earlier runs started */
    Attempts(ReplayContext replayContext, JobExecution run, ActivityId activity, int before, Retry retry) {
        this.replayContext = replayContext;
        this.run = run;
        this.activity = activity;
        this.before = before;
        this.retry = retry;
    }

    /**
     * Runs the work as often as the policy allows.
     *
     * @param beginning starts the first attempt of a step that may be repeated
     */
    @SuppressWarnings("try") // the resource is never used: only closing it matters
    <T extends @Nullable Object> T run(Consumer<LegOne> beginning, Callable<T> work) {
        int attempt = before;
        while (true) {
            attempt++;
            Duration wait;
            try (ExecutionThreads.Working atWork = run.threads().work(replayContext::checkNotCancelled)) {
                LegOne dispatch = LegOne.attempt(activity, "step", attempt);
                if (attempt == 1 && retry.attempts() > 1) {
                    beginning.accept(dispatch);
                } else {
                    replayContext.begin(dispatch);
                }
                run.tools().crashPoints().reached(EngineCrashPoint.DISPATCHED);
                if (attempt > retry.attempts()) {
                    throw fail(attempt - 1, Fault.of(Failures.neverCameBack(attempt - 1)));
                }
                try {
                    return once(attempt, work);
                } catch (Unwinding ours) {
                    throw ours;
                } catch (Throwable e) {
                    replayContext.checkNotCancelled();
                    run.tools().crashPoints().reached(EngineCrashPoint.ATTEMPT_FAILED);
                    Fault fault = Fault.of(e, run.tools().codec());
                    if (!retry.allows(attempt, e) || isFinal(e)) {
                        throw fail(attempt, fault);
                    }
                    wait = retry.after(attempt, run.tools().random());
                    log(attempt, fault, wait);
                    replayContext.begin(dispatch.failed(fault, wait));
                    run.tools().crashPoints().reached(EngineCrashPoint.FAILURE_RECORDED);
                }
            }
            pause(wait);
        }
    }

    private <T extends @Nullable Object> T once(int attempt, Callable<T> work) throws Exception {
        replayContext.order().occupy(inside());
        try {
            return TimeLimit.within(
                    retry.timeout(), run.tools().spans().step(run.body().workflow(), activity, attempt, work));
        } finally {
            replayContext.order().free();
        }
    }

    private String inside() {
        return "inside step '" + activity.name()
                + "', which is recorded as a whole: ask before the step or after it, and"
                + " hand what it needs to its work";
    }

    private static boolean isFinal(Throwable failure) {
        return failure instanceof PayloadTooLargeException || MisuseException.isCauseOf(failure);
    }

    private StepFailedException fail(int attempt, Fault fault) {
        log(attempt, fault, null);
        return replayContext.fail(activity, 0, fault);
    }

    private void log(int attempt, Fault fault, @Nullable Duration next) {
        FailureLog.attempt(run.body().about(activity), attempt, retry.attempts(), fault, next);
    }

    private void pause(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
            replayContext.checkNotCancelled();
        }
    }
}
