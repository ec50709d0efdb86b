package dev.tallystick.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an engine.
 *
 * @param lease how long a process that went silent keeps its leases
 * @param heartbeat how often a live process extends its leases
 * @param poll how often to look for due work without a notification
 * @param bodies how many bodies, and work items of graphs, run at once in this process
 * @param bodiesOfOne how many of these may belong to one workflow
 * @param unsaid how long the result of a step may wait for the next commit of its job
 * @param lanes how many group commits run in parallel
 * @param kept how long closed jobs are kept
 * @param sweep how often to delete what has expired: closed jobs, keys, unused lanes
 * @param drain how long running steps may continue when the engine closes
 * @param tracing creates the spans
 * @param instance a name of this process that stays the same across restarts and that no other running process has; null for
 *     none. A process that starts frees the leases that an earlier process of its name still held
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

    /** Limits how many bodies run at once in this process, and how many of one workflow; the others wait. */
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

    /** As {@link #drain}, but no longer than leases are certain to last, because heartbeats have stopped. */
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
