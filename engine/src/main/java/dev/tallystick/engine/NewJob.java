package dev.tallystick.engine;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job to be created.
 *
 * @param priority 0 is leased first, 2 last
 * @param delay how long from now its body must not run
 * @param parent the activity that waits for this job, or null
 * @param trigger the first node of a graph's job; null for code, which begins with its body
 * @param owner the owner that leases the body at once; null if any process may lease it
 * @param timeout how long after its delay it must finish; null for no limit
 * @param lane the key of its workflow's limit; null if the workflow has no limit
 * @param traceParent the parent of its spans (W3C); null if unspecified
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

    /** A copy in this lane, where it waits for its turn under the workflow's limit. */
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

    /** A copy with this parent for its spans, unless it is null. */
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

    /** The queue it waits in; only for a job that has a lane. */
    String queueOfLane() {
        String name = trigger == null ? workflow : GraphStore.queueOf(workflow);
        return Lane.queueOf(name, version, Objects.requireNonNull(lane));
    }

    boolean isTimed() {
        return timeout != null;
    }

    /** The time from now to its deadline; only for a timed job. */
    long limitMillis() {
        return delay.plus(Objects.requireNonNull(timeout)).toMillis();
    }

    /** The activity that it begins with. */
    ActivityId first() {
        return trigger == null ? ActivityId.main(id) : new ActivityId(id, "", trigger);
    }
}
