package dev.tallystick.engine;

import dev.tallystick.core.CrashPoint;

/** Where dying matters in schedules, beside the commits themselves. */
public enum ScheduleCrashPoint implements CrashPoint {
    /** The job is submitted, and neither it nor the next moment is durable. */
    SUBMITTED,
    /** The job and the next moment are durable, and nobody was told that the job is due. */
    FIRED
}
