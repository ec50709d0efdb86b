package dev.tallystick.workflow;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of a graph's node. Its result is recorded exactly once; the work itself may run again if the process dies
 * before that, so pass {@link Work#key()} to foreign systems that it calls.
 */
@FunctionalInterface
public interface GraphWorker<I extends @Nullable Object, O extends @Nullable Object> {

    O run(Work work, I input) throws Exception;

    /** A worker and its input type. */
    record Typed<I extends @Nullable Object>(Type input, GraphWorker<I, ?> worker) {

        @Nullable
        public Object call(Codec codec, Work work, byte[] bytes) throws Exception {
            return worker.run(work, codec.<I>decode(bytes, input));
        }
    }
}
