package dev.tallystick.engine.graph.run;

import java.time.Duration;

/** Planning a step took too long. Nothing is written. */
final class SlowPlanException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SlowPlanException(Duration patience) {
        super("the expressions of its graph and the codec took longer than " + patience.toMillis() + " ms");
    }
}
