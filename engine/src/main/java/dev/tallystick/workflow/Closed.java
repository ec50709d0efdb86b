package dev.tallystick.workflow;

import org.jspecify.annotations.Nullable;

/** How a job ended. */
public record Closed(
        JobId job,
        JobOutcome outcome,
        byte @Nullable [] output,
        @Nullable String error) {}
