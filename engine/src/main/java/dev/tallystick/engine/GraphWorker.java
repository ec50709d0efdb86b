package dev.tallystick.engine;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of a graph's node. What it returns is recorded exactly once; the work itself may run again if the process dies
 * before that, so give {@link Work#key()} to foreign systems that it touches.
 */
@FunctionalInterface
public interface GraphWorker<I extends @Nullable Object, O extends @Nullable Object> {

    O run(Work work, I input) throws Exception;

    /** A worker, and what it takes. */
    record Typed<I extends @Nullable Object>(Type input, GraphWorker<I, ?> worker) {

        @Nullable
        Object call(Codec codec, Work work, byte[] bytes) throws Exception {
            return worker.run(work, codec.<I>decode(bytes, input));
        }
    }
}
