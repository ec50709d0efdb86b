package dev.tallystick.engine;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Turns what workflows take and return into bytes and back. Encryption is a codec around another. Thread-safe. */
public interface Codec {

    byte[] encode(@Nullable Object value);

    /** The caller vouches that {@code type} is what it takes the result for. */
    @SuppressWarnings("TypeParameterUnusedInFormals")
    <T extends @Nullable Object> T decode(byte[] bytes, Type type);
}
