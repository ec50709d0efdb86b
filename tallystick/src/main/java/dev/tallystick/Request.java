package dev.tallystick;

import org.jspecify.annotations.Nullable;

/** One of several jobs that are submitted together; created by {@link Submit#with}. */
public record Request(Submit how, @Nullable Object input) {}
