package dev.tallystick.engine;

import dev.tallystick.engine.model.Queues;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A graph as deployed.
 *
 * @param by who deployed it
 * @param removedAt since when no new jobs of it start; null if it is not removed
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

    /** The name of its queue. */
    String queue() {
        return Queues.of(name, version);
    }
}
