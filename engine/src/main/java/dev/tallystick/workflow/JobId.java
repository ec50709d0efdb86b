package dev.tallystick.workflow;

import java.time.Instant;
import java.util.UUID;

/** Identifies a job. Time-ordered, so jobs created together are neighbours in every index. */
public record JobId(UUID value) implements Comparable<JobId> {

    public static JobId parse(String text) {
        return new JobId(UUID.fromString(text));
    }

    /** No job created at this time or later has a smaller id. */
    public static JobId smallestAt(Instant time) {
        return new JobId(new UUID(Math.max(0, time.toEpochMilli()) << 16, 0));
    }

    /** The order in which all code locks jobs. It is the database's order, which compares the bytes unsigned. */
    @Override
    public int compareTo(JobId other) {
        int high = Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
        return high != 0
                ? high
                : Long.compareUnsigned(value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
