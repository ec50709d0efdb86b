package dev.tallystick.postgres;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waiting for what another process does and cannot tell us about: looks every few milliseconds, and never for ever. Not cut
 * short by an interrupt, which is kept for the caller: a server half stopped is worse than a late answer.
 */
final class Patience {

    private static final long LOOK_NANOS = Duration.ofMillis(5).toNanos();

    /** Whether {@code done} came true within {@code limit}. */
    static boolean until(BooleanSupplier done, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (!done.getAsBoolean()) {
                if (System.nanoTime() - deadline > 0) {
                    return false;
                }
                interrupted |= Thread.interrupted();
                pause();
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** One look's length, for those who count looks themselves. */
    static void pause() {
        LockSupport.parkNanos(LOOK_NANOS);
    }

    private Patience() {}
}
