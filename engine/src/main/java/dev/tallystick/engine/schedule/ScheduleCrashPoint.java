package dev.tallystick.engine.schedule;

import dev.tallystick.core.CrashPoint;

/** Where a crash matters in schedules, besides the commits themselves. */
public enum ScheduleCrashPoint implements CrashPoint {
    /** The job is submitted, but neither it nor the next moment is durable. */
    SUBMITTED,
    /** The job and the next moment are durable, but no process was notified that the job is due. */
    JOB_STARTED
}
