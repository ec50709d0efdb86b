package dev.tallystick;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.seal.JobProof;
import dev.tallystick.engine.seal.ShownFields;
import dev.tallystick.engine.view.Why;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.GenericType;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.UnknownJobException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Follows one job, from any process that reaches the same database. Thread-safe. */
public final class JobHandle<O extends @Nullable Object> {

    private final Engine engine;
    private final Codec codec;
    private final String mesh;
    private final JobId id;
    private final Type output;
    private final Origin origin;
    private final CompletableFuture<Closed> end;

    /** How the caller got this job. */
    enum Origin {
        /** The caller created it. */
        NEW,
        /** It already existed under the caller's key, so it exists or was dropped. */
        REPEATED,
        /** The caller had its id, perhaps before the job was committed. */
        NAMED
    }

    JobHandle(
            Engine engine,
            Codec codec,
            String mesh,
            JobId id,
            Type output,
            Origin origin,
            CompletableFuture<Closed> end) {
        this.engine = engine;
        this.codec = codec;
        this.mesh = mesh;
        this.id = id;
        this.output = output;
        this.origin = origin;
        this.end = end;
    }

    public JobId id() {
        return id;
    }

    Type output() {
        return output;
    }

    /** The same job, with its result read as this type: for graphs, which do not declare what they return. */
    public <T extends @Nullable Object> JobHandle<T> as(Class<T> type) {
        return new JobHandle<>(engine, codec, mesh, id, type, origin, end);
    }

    /** Like {@link #as(Class)}, for a generic type. */
    public <T extends @Nullable Object> JobHandle<T> as(GenericType<T> type) {
        return new JobHandle<>(engine, codec, mesh, id, type.type(), origin, end);
    }

    /** Whether the key was already bound to the job when this was submitted. */
    public boolean isDuplicate() {
        return origin != Origin.NEW;
    }

    /**
     * The job's result.
     *
     * @throws JobOpenException if it is still open after {@code patience}; the job keeps running
     * @throws JobFailedException if it ended without a result
     * @throws UnknownJobException if it has been deleted; its key is still bound to it, so it does not run again
     */
    public O result(Duration patience) throws InterruptedException {
        Closed closed = end(patience).orElseThrow(() -> new JobOpenException(id, patience));
        byte[] result = closed.output();
        if (closed.outcome() != JobOutcome.COMPLETED || result == null) {
            throw new JobFailedException(id, closed.outcome(), String.valueOf(closed.error()));
        }
        return codec.decode(result, output);
    }

    /**
     * How the job ended, or empty if it is still open after {@code patience}. Throws like {@link #result} if it has been
     * deleted.
     */
    public Optional<JobOutcome> outcome(Duration patience) throws InterruptedException {
        return end(patience).map(Closed::outcome);
    }

    private Optional<Closed> end(Duration patience) throws InterruptedException {
        if (end.isDone()) {
            return Optional.of(end.join());
        }
        if (origin == Origin.REPEATED) {
            Optional<Closed> already = endOrDemandKept(Duration.ZERO);
            if (already.isPresent()) {
                return already;
            }
        }
        return endOrDemandKept(patience);
    }

    private Optional<Closed> endOrDemandKept(Duration patience) throws InterruptedException {
        Optional<Closed> closed = engine.await(id, patience);
        // Only an id that the caller names can belong to another mesh's job.
        if (closed.isEmpty() || origin == Origin.NAMED) {
            Why unused = engine.why(mesh, id);
        }
        return closed;
    }

    /**
     * Sends a signal. The same key means the same signal, which is taken once.
     *
     * @throws IllegalArgumentException if the name has more than 255 characters or begins with '$', or the key has more
     *     than 512 characters
     * @throws PayloadTooLargeException if the payload has more than 1 MiB
     */
    public Signalled signal(String name, String key, @Nullable Object payload) {
        return Tallystick.join(engine.signal(mesh, id, name, key, Payloads.encode(codec, payload)));
    }

    /** Requests the end of the job and of its children. The request is durable when this returns. */
    public void cancel() {
        engine.cancel(mesh, id);
    }

    /** What the job waits for, since when, and what would let it continue. */
    public Why why() {
        return engine.why(mesh, id);
    }

    /**
     * What proves this very job to people outside, if a server with {@code --seal} shares the database. {@code tally verify}
     * checks the receipt with the public key of the log alone.
     *
     * @param shown the fields of its records that the receipt opens, such as {@code outcome} and {@code output}; without any,
     *     all of them. The others stay closed, and the receipt verifies without them
     * @throws IllegalArgumentException if no record has a field of such a name
     */
    public JobProof receipt(String... shown) {
        return engine.receipts().prove(mesh, id.value(), ShownFields.of(List.of(shown)));
    }

    @Override
    public String toString() {
        return "job " + id;
    }
}
