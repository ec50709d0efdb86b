package dev.tallystick.engine.model;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an engine.
 *
 * @param lease how long a process that went silent keeps its leases
 * @param heartbeat how often a live process extends its leases
 * @param poll how often to look for due work without a notification
 * @param atOnce how many jobs, and work items of graphs, run at once in this process
 * @param atOnceOfOne how many of these may belong to one workflow
 * @param resultDelay how long the result of a step may wait for the next commit of its job
 * @param retention how long closed jobs are kept
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
        int atOnce,
        int atOnceOfOne,
        Duration resultDelay,
        Duration retention,
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
        if (atOnce < 1 || atOnceOfOne < 1) {
            throw new IllegalArgumentException("at least one job, and one of each workflow");
        }
    }

    public EngineSettings lease(Duration length, Duration beat) {
        return with(draft -> {
            draft.lease = length;
            draft.heartbeat = beat;
        });
    }

    public EngineSettings poll(Duration interval) {
        return with(draft -> draft.poll = interval);
    }

    /** Limits how many jobs run at once in this process, and how many of one workflow; the others wait. */
    public EngineSettings atOnce(int most, int mostOfOne) {
        return with(draft -> {
            draft.atOnce = most;
            draft.atOnceOfOne = mostOfOne;
        });
    }

    public EngineSettings retention(Duration duration) {
        return with(draft -> draft.retention = duration);
    }

    public EngineSettings sweep(Duration interval) {
        return with(draft -> draft.sweep = interval);
    }

    public EngineSettings drain(Duration patience) {
        return with(draft -> draft.drain = patience);
    }

    public EngineSettings tracing(Tracing other) {
        return with(draft -> draft.tracing = other);
    }

    public EngineSettings instance(@Nullable String name) {
        return with(draft -> draft.instance = name);
    }

    /** As {@link #drain}, but no longer than leases are certain to last, because heartbeats have stopped. */
    public Duration safeDrain() {
        Duration safe = lease.minus(heartbeat).dividedBy(2);
        return drain.compareTo(safe) < 0 ? drain : safe;
    }

    private EngineSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.settings();
    }

    /** A copy that can be changed. */
    private static final class Draft {

        private Duration lease;
        private Duration heartbeat;
        private Duration poll;
        private int atOnce;
        private int atOnceOfOne;
        private final Duration resultDelay;
        private Duration retention;
        private Duration sweep;
        private Duration drain;
        private Tracing tracing;
        private @Nullable String instance;

        Draft(EngineSettings from) {
            this.lease = from.lease;
            this.heartbeat = from.heartbeat;
            this.poll = from.poll;
            this.atOnce = from.atOnce;
            this.atOnceOfOne = from.atOnceOfOne;
            this.resultDelay = from.resultDelay;
            this.retention = from.retention;
            this.sweep = from.sweep;
            this.drain = from.drain;
            this.tracing = from.tracing;
            this.instance = from.instance;
        }

        EngineSettings settings() {
            return new EngineSettings(
                    lease,
                    heartbeat,
                    poll,
                    atOnce,
                    atOnceOfOne,
                    resultDelay,
                    retention,
                    sweep,
                    drain,
                    tracing,
                    instance);
        }
    }
}
