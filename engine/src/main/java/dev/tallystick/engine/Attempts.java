package dev.tallystick.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Does the work of the steps of one scope, each as often as its policy allows. For the thread of the scope. */
final class Attempts {

    private final Scope scope;
    private final BodyRun run;

    Attempts(Scope scope, BodyRun run) {
        this.scope = scope;
        this.run = run;
    }

    /**
     * Begins the activity and does the work; a last failure is recorded.
     *
     * @param beginning begins the first attempt at work that may be done again
     */
    @SuppressWarnings("try") // that it is closed is all that being at work is for
    <T extends @Nullable Object> T at(
            ActivityId activity,
            @Nullable RecordedActivity before,
            Retry retry,
            Consumer<LegOne> beginning,
            Callable<T> work) {
        int attempt = before == null ? 0 : before.attempts();
        while (true) {
            attempt++;
            try (BodyThreads.Working atWork = run.threads().work(run::demandRunning)) {
                LegOne dispatch = LegOne.attempt(activity, "step", attempt);
                if (attempt == 1 && retry.attempts() > 1) {
                    beginning.accept(dispatch);
                } else {
                    announce(dispatch);
                }
                run.tools().crashPoints().reached(EngineCrashPoint.DISPATCHED);
                if (attempt > retry.attempts()) {
                    throw scope.fail(activity, 0, Failures.neverCameBack(attempt - 1));
                }
                try {
                    scope.order().occupy(inside(activity));
                    return TimeLimit.within(retry.timeout(), run.traced(activity, attempt, work));
                } catch (Exception | VirtualMachineError | LinkageError | AssertionError e) {
                    scope.demandHeard();
                    run.tools().crashPoints().reached(EngineCrashPoint.ATTEMPT_FAILED);
                    if (!retry.allows(attempt, e) || isFinal(e)) {
                        throw scope.fail(activity, 0, Failures.describe(e));
                    }
                } finally {
                    scope.order().free();
                }
            }
            pause(retry.after(attempt, run.tools().random()));
        }
    }

    private static String inside(ActivityId activity) {
        return "inside step '" + activity.name()
                + "', which is recorded as a whole: ask before the step or after it, and"
                + " hand what it needs to its work";
    }

    private static boolean isFinal(Throwable failure) {
        return failure instanceof PayloadTooLargeException || MisuseException.isCauseOf(failure);
    }

    /** That the attempt has begun is durable before it does. */
    void announce(LegOne dispatch) {
        run.dispatch(scope, List.of(dispatch));
    }

    private void pause(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
            scope.demandHeard();
        }
    }
}
