package dev.tallystick.engine;

import dev.tallystick.workflow.Codec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** A codec whose bytes no other codec can read. */
public record Reversed(Codec inner) implements Codec {

    @Override
    public byte[] encode(@Nullable Object value) {
        return reversed(inner.encode(value));
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals")
    public <T extends @Nullable Object> T decode(byte[] bytes, Type type) {
        return inner.decode(reversed(bytes), type);
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }
}
