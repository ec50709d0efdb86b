package dev.tallystick.workflow;

import java.time.Duration;

/** An attempt took longer than its {@link Retry} allows and was interrupted. It counts as a failed attempt. */
public final class StepTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public StepTimeoutException(Duration limit, Exception cause) {
        super("it took longer than " + limit, cause);
    }
}
