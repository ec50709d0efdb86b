package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Failures;
import dev.tallystick.workflow.Codec;
import java.lang.reflect.Type;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A codec that marks its failures as its own. A payload that it cannot read or write fails the job, on any process. */
final class GraphCodec implements Codec {

    private final Codec codec;

    /** A payload cannot be read or written. */
    static final class CodecFailedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CodecFailedException(String what, Throwable cause) {
            super("the codec cannot " + what + " a payload: " + Failures.describe(cause), cause);
        }
    }

    GraphCodec(Codec codec) {
        this.codec = codec;
    }

    @Override
    public byte[] encode(@Nullable Object value) {
        return guarded("write", () -> codec.encode(value));
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals")
    public <T extends @Nullable Object> T decode(byte[] bytes, Type type) {
        return guarded("read", () -> codec.<T>decode(bytes, type));
    }

    private static <T extends @Nullable Object> T guarded(String what, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            throw new CodecFailedException(what, e);
        }
    }
}
