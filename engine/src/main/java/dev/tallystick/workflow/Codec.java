package dev.tallystick.workflow;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Encodes the inputs and results of workflows as bytes, and decodes them. For encryption, wrap another codec. Thread-safe. */
public interface Codec {

    byte[] encode(@Nullable Object value);

    /** The caller guarantees that {@code type} describes {@code T}. */
    @SuppressWarnings("TypeParameterUnusedInFormals")
    <T extends @Nullable Object> T decode(byte[] bytes, Type type);
}
