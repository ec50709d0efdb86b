package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/** One activity in the record of a closed job. */
record Past(
        String path,
        String name,
        String kind,
        boolean done,
        int attempts,
        byte @Nullable [] output,
        @Nullable String error) {

    boolean succeeded() {
        return done && error == null;
    }
}
