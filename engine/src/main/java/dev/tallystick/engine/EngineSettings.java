package dev.tallystick.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an engine works.
 *
 * @param lease how long a process that went silent keeps what it has leased
 * @param heartbeat how often a live one says so
 * @param poll how often to look for due work when nobody told of any
 * @param bodies how many bodies, and pieces of work of graphs, run at once in this process
 * @param bodiesOfOne how many of them may be of one workflow
 * @param unsaid how long the result of a step may wait for the next commit of its job
 * @param lanes how many group commits go on at once
 * @param kept how long closed jobs are kept
 * @param sweep how often to drop what need not be kept any longer: closed jobs, expired keys, unused lanes
 * @param drain how long steps that are being done may go on when the engine closes
 * @param tracing who hears of what is done
 * @param instance what this process is called, the same after each restart and of no other that is up; null if it has no name.
 *     What a process of this name had leased when it died is free when it starts again
 */
public record EngineSettings(
        Duration lease,
        Duration heartbeat,
        Duration poll,
        int bodies,
        int bodiesOfOne,
        Duration unsaid,
        int lanes,
        Duration kept,
        Duration sweep,
        Duration drain,
        Tracing tracing,
        @Nullable String instance) {

    public static final EngineSettings DEFAULT = new EngineSettings(
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            200,
            100,
            Duration.ofMillis(20),
            1,
            Duration.ofDays(30),
            Duration.ofMinutes(10),
            Duration.ofSeconds(10),
            Tracing.OFF,
            null);

    public EngineSettings {
        if (lease.compareTo(heartbeat.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException("a lease must outlast two heartbeats, or a pause of one loses it");
        }
        if (instance != null && instance.isBlank()) {
            throw new IllegalArgumentException("the name of an instance is not blank");
        }
        if (bodies < 1 || bodiesOfOne < 1 || lanes < 1) {
            throw new IllegalArgumentException("at least one body, one of each workflow, and one lane");
        }
    }

    public EngineSettings lease(Duration length, Duration beat) {
        return new EngineSettings(
                length, beat, poll, bodies, bodiesOfOne, unsaid, lanes, kept, sweep, drain, tracing, instance);
    }

    public EngineSettings poll(Duration interval) {
        return new EngineSettings(
                lease, heartbeat, interval, bodies, bodiesOfOne, unsaid, lanes, kept, sweep, drain, tracing, instance);
    }

    /** So many run at once in this process, and so many of one workflow; more wait for their turn. */
    public EngineSettings bodies(int most, int mostOfOne) {
        return new EngineSettings(
                lease, heartbeat, poll, most, mostOfOne, unsaid, lanes, kept, sweep, drain, tracing, instance);
    }

    public EngineSettings lanes(int number) {
        return new EngineSettings(
                lease, heartbeat, poll, bodies, bodiesOfOne, unsaid, number, kept, sweep, drain, tracing, instance);
    }

    public EngineSettings kept(Duration duration) {
        return new EngineSettings(
                lease, heartbeat, poll, bodies, bodiesOfOne, unsaid, lanes, duration, sweep, drain, tracing, instance);
    }

    public EngineSettings sweep(Duration interval) {
        return new EngineSettings(
                lease, heartbeat, poll, bodies, bodiesOfOne, unsaid, lanes, kept, interval, drain, tracing, instance);
    }

    public EngineSettings drain(Duration patience) {
        return new EngineSettings(
                lease, heartbeat, poll, bodies, bodiesOfOne, unsaid, lanes, kept, sweep, patience, tracing, instance);
    }

    /** As {@link #drain}, but no longer than leases last for sure: there are no heartbeats any more. */
    Duration safeDrain() {
        Duration safe = lease.minus(heartbeat).dividedBy(2);
        return drain.compareTo(safe) < 0 ? drain : safe;
    }

    public EngineSettings tracing(Tracing other) {
        return new EngineSettings(
                lease, heartbeat, poll, bodies, bodiesOfOne, unsaid, lanes, kept, sweep, drain, other, instance);
    }

    public EngineSettings instance(@Nullable String name) {
        return new EngineSettings(
                lease, heartbeat, poll, bodies, bodiesOfOne, unsaid, lanes, kept, sweep, drain, tracing, name);
    }
}
