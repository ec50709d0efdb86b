package dev.tallystick.engine;

import java.time.Duration;

/**
 * How an engine works.
 *
 * @param lease how long a process that went silent keeps what it has leased
 * @param heartbeat how often a live one says so
 * @param poll how often to look for due work when nobody told of any
 * @param bodies how many bodies run at once in this process
 * @param unsaid how long the result of a step may wait for the next commit of its job
 * @param lanes how many group commits go on at once
 * @param kept how long closed jobs are kept
 * @param sweep how often to drop what need not be kept any longer: closed jobs, expired keys, unused lanes
 * @param drain how long steps that are being done may go on when the engine closes
 * @param tracing who hears of what is done
 */
public record EngineSettings(
        Duration lease,
        Duration heartbeat,
        Duration poll,
        int bodies,
        Duration unsaid,
        int lanes,
        Duration kept,
        Duration sweep,
        Duration drain,
        Tracing tracing) {

    public static final EngineSettings DEFAULT = new EngineSettings(
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            2_000,
            Duration.ofMillis(20),
            1,
            Duration.ofDays(30),
            Duration.ofMinutes(10),
            Duration.ofSeconds(10),
            Tracing.OFF);

    public EngineSettings {
        if (lease.compareTo(heartbeat.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException("a lease must outlast two heartbeats, or a pause of one loses it");
        }
        if (bodies < 1 || lanes < 1) {
            throw new IllegalArgumentException("at least one body and one lane");
        }
    }

    public EngineSettings lease(Duration length, Duration beat) {
        return new EngineSettings(length, beat, poll, bodies, unsaid, lanes, kept, sweep, drain, tracing);
    }

    public EngineSettings poll(Duration interval) {
        return new EngineSettings(lease, heartbeat, interval, bodies, unsaid, lanes, kept, sweep, drain, tracing);
    }

    public EngineSettings bodies(int most) {
        return new EngineSettings(lease, heartbeat, poll, most, unsaid, lanes, kept, sweep, drain, tracing);
    }

    public EngineSettings lanes(int number) {
        return new EngineSettings(lease, heartbeat, poll, bodies, unsaid, number, kept, sweep, drain, tracing);
    }

    public EngineSettings kept(Duration duration) {
        return new EngineSettings(lease, heartbeat, poll, bodies, unsaid, lanes, duration, sweep, drain, tracing);
    }

    public EngineSettings sweep(Duration interval) {
        return new EngineSettings(lease, heartbeat, poll, bodies, unsaid, lanes, kept, interval, drain, tracing);
    }

    public EngineSettings drain(Duration patience) {
        return new EngineSettings(lease, heartbeat, poll, bodies, unsaid, lanes, kept, sweep, patience, tracing);
    }

    /** As {@link #drain}, but no longer than leases last for sure: there are no heartbeats any more. */
    Duration safeDrain() {
        Duration safe = lease.minus(heartbeat).dividedBy(2);
        return drain.compareTo(safe) < 0 ? drain : safe;
    }

    public EngineSettings tracing(Tracing other) {
        return new EngineSettings(lease, heartbeat, poll, bodies, unsaid, lanes, kept, sweep, drain, other);
    }
}
