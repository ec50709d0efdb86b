package dev.tallystick.engine.model;

import dev.tallystick.core.Digit;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.util.Optional;
import java.util.stream.Stream;

/** The ways in which a job ends from outside. Each is its own transition, so exactly one of them owns the completion. */
public enum Ending {
    CANCEL("$cancel", JobOutcome.CANCELLED, "it was cancelled"),
    TIMEOUT("$timeout", JobOutcome.TIMED_OUT, "it was not done within its time-out"),
    CEILING(
            "$ceiling",
            JobOutcome.FAILED,
            "the ledger of an activity is full: it was told " + Digit.LEG2_ENTRIES.maximum() + " things"),
    EXHAUSTED(
            "$exhausted",
            JobOutcome.FAILED,
            "its body was begun " + Digit.LEG1_ATTEMPTS.maximum() + " times, and no process that ran it came back");

    private final String activity;
    private final JobOutcome outcome;
    private final String reason;

    Ending(String activity, JobOutcome outcome, String reason) {
        this.activity = activity;
        this.outcome = outcome;
        this.reason = reason;
    }

    public ActivityId of(JobId job) {
        return new ActivityId(job, "", activity);
    }

    /** The ending that this activity stands for, if any. */
    public static Optional<Ending> of(ActivityId activity) {
        return Stream.of(values())
                .filter(ending -> activity.equals(ending.of(activity.job())))
                .findAny();
    }

    /** Whether a ledger was full: then the job is not tried again, and an operator must look at it. */
    public boolean isCeiling() {
        return this == CEILING || this == EXHAUSTED;
    }

    public JobOutcome outcome() {
        return outcome;
    }

    public String reason() {
        return reason;
    }
}
