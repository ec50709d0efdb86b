package dev.tallystick.server.http;

import org.jspecify.annotations.Nullable;

/**
 * An element of a list that is read by itself: if it is malformed, the others of its list are not.
 *
 * @param value null if it is malformed
 * @param problem what is wrong with it, or null
 */
public record Tried<T>(@Nullable T value, @Nullable Problem problem) {}
