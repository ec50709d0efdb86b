package dev.tallystick.engine;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job about to exist.
 *
 * @param priority 0 is taken first, 2 last
 * @param delay how long from now its body is not to run
 * @param parent the activity that waits for this job, or null
 * @param trigger the node that a job of a graph begins with; null for one of code, which begins with its body
 * @param owner who leases the body at once, or null if it is for whoever comes first
 * @param timeout how long after its delay it must be done; null for as long as it takes
 * @param lane the key of its workflow's limit; null if it has none
 * @param traceParent where its spans belong (W3C); null if that is not said
 */
record NewJob(
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
        @Nullable String traceParent) {

    /** A job without a limit. */
    NewJob(
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
            @Nullable Duration timeout) {
        this(
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
                null,
                null);
    }

    /** A job of code. */
    NewJob(
            JobId id,
            String mesh,
            String workflow,
            int version,
            int priority,
            byte[] input,
            Duration delay,
            @Nullable String owner,
            @Nullable ActivityId parent,
            @Nullable JobId continuedFrom) {
        this(id, mesh, workflow, version, priority, input, delay, owner, parent, continuedFrom, null, null);
    }

    /** In this lane, where its turn comes as the limit of its workflow allows. */
    NewJob inLane(String key) {
        return new NewJob(
                id,
                mesh,
                workflow,
                version,
                priority,
                input,
                delay,
                null,
                parent,
                continuedFrom,
                trigger,
                timeout,
                key,
                traceParent);
    }

    /** With its spans in this place, if one is named. */
    NewJob traced(@Nullable String place) {
        return place == null
                ? this
                : new NewJob(
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
                        place);
    }

    boolean isTraced() {
        return traceParent != null;
    }

    boolean hasLane() {
        return lane != null;
    }

    /** Where it waits; only for a job that has a lane. */
    String queueOfLane() {
        String name = trigger == null ? workflow : GraphStore.queueOf(workflow);
        return Lane.queueOf(name, version, Objects.requireNonNull(lane));
    }

    boolean isTimed() {
        return timeout != null;
    }

    /** From now until it must be done; only for a job that is timed. */
    long limitMillis() {
        return delay.plus(Objects.requireNonNull(timeout)).toMillis();
    }

    /** The activity that it begins with. */
    ActivityId first() {
        return trigger == null ? ActivityId.main(id) : new ActivityId(id, "", trigger);
    }
}
