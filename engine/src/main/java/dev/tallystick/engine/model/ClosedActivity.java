package dev.tallystick.engine.model;

import org.jspecify.annotations.Nullable;

/** One activity in the record of a closed job. */
public record ClosedActivity(
        String path,
        String name,
        String kind,
        boolean done,
        int attempts,
        byte @Nullable [] output,
        @Nullable String error) {

    public boolean succeeded() {
        return done && error == null;
    }
}
