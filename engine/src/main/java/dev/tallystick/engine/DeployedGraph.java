package dev.tallystick.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A graph as it was deployed.
 *
 * @param by who deployed it
 * @param removedAt since when no new jobs of it are started; null if they are
 */
public record DeployedGraph(
        String name,
        int version,
        String yaml,
        String by,
        Instant at,
        @Nullable Instant removedAt) {

    boolean isRemoved() {
        return removedAt != null;
    }

    /** What the engine calls it. */
    String queue() {
        return Runner.queueOf(name, version);
    }
}
