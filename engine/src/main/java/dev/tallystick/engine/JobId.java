package dev.tallystick.engine;

import java.time.Instant;
import java.util.UUID;

/** Names a job. Time-ordered, so that neighbours in time are neighbours in every index. */
public record JobId(UUID value) implements Comparable<JobId> {

    public static JobId parse(String text) {
        return new JobId(UUID.fromString(text));
    }

    /** No job that was made at this time or later has a smaller id. */
    static JobId smallestAt(Instant time) {
        return new JobId(new UUID(Math.max(0, time.toEpochMilli()) << 16, 0));
    }

    /** The order in which jobs are locked, everywhere: that of the database, which compares the bytes unsigned. */
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
