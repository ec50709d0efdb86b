package dev.tallystick.workflow;

import dev.tallystick.keys.KeyReuse;

/** The result of a submission. */
public sealed interface Accepted {

    /** The job is durable and will run. */
    record Fresh(JobId job) implements Accepted {}

    /** The key already belongs to this job; nothing was written. */
    record Duplicate(JobId job) implements Accepted {}

    /** The key already belongs to something else; nothing was written. */
    record Reused(KeyReuse reuse) implements Accepted {}
}
