package dev.tallystick.engine;

import dev.tallystick.keys.KeyReuse;

/** What came of a submission. */
public sealed interface Accepted {

    /** The job is durable and will run. */
    record Fresh(JobId job) implements Accepted {}

    /** The key stands for this job already; nothing was written. */
    record Duplicate(JobId job) implements Accepted {}

    /** The key stands for something else; nothing was written. */
    record Reused(KeyReuse reuse) implements Accepted {}
}
