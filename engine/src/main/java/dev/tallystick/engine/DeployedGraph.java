package dev.tallystick.engine;

import java.time.Instant;

/**
 * A graph as it was deployed.
 *
 * @param by who deployed it
 */
public record DeployedGraph(String name, int version, String yaml, String by, Instant at) {

    /** What the engine calls it. */
    String queue() {
        return Runner.queueOf(name, version);
    }
}
