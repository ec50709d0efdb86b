package dev.tallystick.engine.model;

import dev.tallystick.core.Priority;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.workflow.Attribute;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job to be created. It is made once, written in the transaction that accepts it, and begun when that has committed.
 *
 * @param priority 0 is leased first, 2 last
 * @param delay how long from now its body must not run
 * @param owner the owner that leases the body at once; null if any process may lease it
 * @param parent the activity that waits for this job, or null
 * @param trigger the first node of a graph's job; null for code, which begins with its body
 * @param timeout how long after its delay it must finish; null for no limit
 * @param lane the key of its workflow's limit; null if the workflow has no limit
 * @param traceParent the parent of its spans (W3C); null if unspecified
 * @param attributes to find the job by
 * @param key the key that it was accepted under; null for none. Its row is bound by the transaction that writes the job
 * @param madeAt when it was made, by {@link System#nanoTime()}: no lease on it is older
 */
public record NewJob(
        JobId id,
        String mesh,
        String workflow,
        int version,
        int priority,
        byte[] input,
        Duration delay,
        @Nullable String owner,
        @Nullable ActivityId parent,
        @Nullable JobId continuedFrom,
        @Nullable String trigger,
        @Nullable Duration timeout,
        @Nullable String lane,
        @Nullable String traceParent,
        List<Attribute> attributes,
        @Nullable ScopedKey key,
        long madeAt) {

    public static Builder of(JobId id, String mesh, String workflow, int version, byte[] input) {
        return new Builder(id, mesh, workflow, version, input);
    }

    /** A copy in this lane, where it waits for its turn under the workflow's limit. */
    public NewJob inLane(String key) {
        Builder copy = copy().owner(null);
        copy.lane = key;
        return copy.build();
    }

    /** A copy with this parent for its spans, unless it is null. */
    public NewJob traced(@Nullable String place) {
        return place == null ? this : copy().traceParent(place).build();
    }

    /** A copy that begins after this delay. */
    public NewJob delayed(Duration wait) {
        return copy().delay(wait).build();
    }

    /** A copy that was accepted under this key. */
    public NewJob underKey(@Nullable ScopedKey bound) {
        return copy().key(bound).build();
    }

    public boolean isTraced() {
        return traceParent != null;
    }

    public boolean hasLane() {
        return lane != null;
    }

    /** The queue it waits in; only for a job that has a lane. */
    public String queueOfLane() {
        String name = trigger == null ? workflow : Queues.ofGraph(workflow);
        return Lane.queueOf(name, version, Objects.requireNonNull(lane));
    }

    public boolean isTimed() {
        return timeout != null;
    }

    /** The time from now to its deadline; only for a timed job. */
    public long limitMillis() {
        return delay.plus(Objects.requireNonNull(timeout)).toMillis();
    }

    /** The activity that it begins with. */
    public ActivityId first() {
        return trigger == null ? ActivityId.main(id) : new ActivityId(id, "", trigger);
    }

    private Builder copy() {
        Builder copy = new Builder(id, mesh, workflow, version, input)
                .priority(priority)
                .delay(delay)
                .owner(owner)
                .parent(parent)
                .continuedFrom(continuedFrom)
                .trigger(trigger)
                .timeout(timeout)
                .traceParent(traceParent)
                .attributes(attributes)
                .key(key);
        copy.lane = lane;
        copy.madeAt = madeAt;
        return copy;
    }

    /** Begins with a job of default priority that any process may lease at once. Not thread-safe. */
    public static final class Builder {

        private final JobId id;
        private final String mesh;
        private final String workflow;
        private final int version;
        private final byte[] input;
        private int priority = Priority.DEFAULT.turn();
        private Duration delay = Duration.ZERO;
        private @Nullable String owner;
        private @Nullable ActivityId parent;
        private @Nullable JobId continuedFrom;
        private @Nullable String trigger;
        private @Nullable Duration timeout;
        private @Nullable String lane;
        private @Nullable String traceParent;
        private List<Attribute> attributes = List.of();
        private @Nullable ScopedKey key;
        private long madeAt = System.nanoTime();

        private Builder(JobId id, String mesh, String workflow, int version, byte[] input) {
            this.id = id;
            this.mesh = mesh;
            this.workflow = workflow;
            this.version = version;
            this.input = input;
        }

        public Builder priority(int turn) {
            this.priority = turn;
            return this;
        }

        public Builder delay(Duration wait) {
            this.delay = wait;
            return this;
        }

        public Builder owner(@Nullable String leasedTo) {
            this.owner = leasedTo;
            return this;
        }

        public Builder parent(@Nullable ActivityId waiting) {
            this.parent = waiting;
            return this;
        }

        public Builder continuedFrom(@Nullable JobId before) {
            this.continuedFrom = before;
            return this;
        }

        public Builder trigger(@Nullable String node) {
            this.trigger = node;
            return this;
        }

        public Builder timeout(@Nullable Duration most) {
            this.timeout = most;
            return this;
        }

        public Builder traceParent(@Nullable String place) {
            this.traceParent = place;
            return this;
        }

        public Builder attributes(List<Attribute> all) {
            this.attributes = all;
            return this;
        }

        public Builder key(@Nullable ScopedKey bound) {
            this.key = bound;
            return this;
        }

        public NewJob build() {
            return new NewJob(
                    id,
                    mesh,
                    workflow,
                    version,
                    priority,
                    input,
                    delay,
                    owner,
                    parent,
                    continuedFrom,
                    trigger,
                    timeout,
                    lane,
                    traceParent,
                    attributes,
                    key,
                    madeAt);
        }
    }
}
