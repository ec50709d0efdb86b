package dev.tallystick.engine.upkeep;

import dev.tallystick.workflow.JobId;
import java.time.Instant;

/** The result of a request to erase a job. */
public sealed interface Erase {

    /** Everything personal is deleted, now or by an earlier request: {@code at} and {@code by} are those of the first. */
    record Erased(JobId job, Instant at, String by) implements Erase {}

    /** Nothing was deleted: the job has not ended, or something that it has asked for is not settled. */
    record StillOpen(String what) implements Erase {}

    /** Nothing was deleted: a fact about the job is on its way into the log. */
    record NotSealed() implements Erase {}

    /** There is nothing to erase. */
    record NoSuchJob() implements Erase {}
}
