package dev.tallystick.core.api;

import org.jspecify.annotations.Nullable;

/**
 * An element of a list that is read by itself: if it is malformed, the others of its list are not.
 *
 * @param value null if it is malformed
 * @param problem what is wrong with it, or null
 */
public record Tried<T>(@Nullable T value, @Nullable String problem) {

    /** An element to send. */
    public static <T> Tried<T> of(T value) {
        return new Tried<>(value, null);
    }
}
