package dev.tallystick;

import org.jspecify.annotations.Nullable;

/** One of several jobs that are submitted together. {@link Submit#with} makes it. */
public record Request(Submit how, @Nullable Object input) {}
