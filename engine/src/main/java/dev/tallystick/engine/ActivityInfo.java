package dev.tallystick.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An activity of a job, as it stood when it was read.
 *
 * @param path its place in the program or in the cycles of a graph
 * @param kind what it is: a step, a sleep, a wait, the body itself
 * @param ledger its 15 digits
 * @param attempts how often its work was begun
 * @param returnedAt when it was first told something; null as long as it waits
 */
public record ActivityInfo(
        String path,
        String name,
        String kind,
        String ledger,
        int attempts,
        @Nullable String error,
        Instant enteredAt,
        @Nullable Instant returnedAt) {}
