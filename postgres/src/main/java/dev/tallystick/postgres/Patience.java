package dev.tallystick.postgres;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for another process that cannot notify us: polls every few milliseconds, up to a limit. An interrupt does not end the
 * wait but is kept for the caller: a half-stopped server is worse than a late answer.
 */
final class Patience {

    private static final long LOOK_NANOS = Duration.ofMillis(5).toNanos();

    /** Whether {@code done} became true within {@code limit}. */
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

    /** One polling interval, for callers that count polls themselves. */
    static void pause() {
        LockSupport.parkNanos(LOOK_NANOS);
    }

    private Patience() {}
}
