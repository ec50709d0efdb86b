package dev.tallystick.workflow;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a workflow may call. Every answer is recorded once; after a crash the same call gets the same answer.
 *
 * <p>Use it only on one thread: that of the workflow, or of the branch that received it. Inside a step only {@link #job} and
 * {@link #key} may be called. Every other call is refused with a {@link MisuseException}.
 */
public interface Context {

    /** The ID of this job. */
    JobId job();

    /**
     * Runs {@code work}, records its result and returns the recorded result, in the first run as in every replay. The result is
     * recorded exactly once. The work itself may run again if the process dies before the result is durable, so pass
     * {@link #key()} to foreign systems that it calls.
     */
    default <T extends @Nullable Object> T step(String name, Class<T> type, Callable<T> work) {
        return step(name, type, Retry.DEFAULT, work);
    }

    default <T extends @Nullable Object> T step(String name, Class<T> type, Retry retry, Callable<T> work) {
        return step(name, GenericType.of(type), retry, work);
    }

    default <T extends @Nullable Object> T step(String name, GenericType<T> type, Callable<T> work) {
        return step(name, type, Retry.DEFAULT, work);
    }

    <T extends @Nullable Object> T step(String name, GenericType<T> type, Retry retry, Callable<T> work);

    /**
     * Runs {@code work} inside the transaction that records its result: the effect happens exactly once. Only for SQL on the
     * engine's own database. The work must leave the transaction open: attempts to end it are refused.
     */
    default <T extends @Nullable Object> T transaction(String name, Class<T> type, TransactionalWork<T> work) {
        return transaction(name, type, Retry.DEFAULT, work);
    }

    default <T extends @Nullable Object> T transaction(
            String name, Class<T> type, Retry retry, TransactionalWork<T> work) {
        return transaction(name, GenericType.of(type), retry, work);
    }

    default <T extends @Nullable Object> T transaction(String name, GenericType<T> type, TransactionalWork<T> work) {
        return transaction(name, type, Retry.DEFAULT, work);
    }

    <T extends @Nullable Object> T transaction(
            String name, GenericType<T> type, Retry retry, TransactionalWork<T> work);

    /** Waits for a signal of this name, or takes one that arrived earlier. Each signal is taken once. */
    default <T> T await(String signal, Class<T> type) {
        return await(signal, GenericType.of(type));
    }

    <T> T await(String signal, GenericType<T> type);

    /** Waits at most {@code patience} for a signal of this name. A signal that arrives too late stays for the next wait. */
    default <T> Optional<T> await(String signal, Class<T> type, Duration patience) {
        return await(signal, GenericType.of(type), patience);
    }

    <T> Optional<T> await(String signal, GenericType<T> type, Duration patience);

    /** Asks people and waits for their answer. {@code ask} says whom to ask, and who is next if no answer comes. */
    default <T> T task(String name, Class<T> type, Ask ask) {
        return task(name, GenericType.of(type), ask);
    }

    <T> T task(String name, GenericType<T> type, Ask ask);

    /** Asks people and waits at most {@code patience} for their answer; after that the task can no longer be answered. */
    default <T> Optional<T> task(String name, Class<T> type, Ask ask, Duration patience) {
        return task(name, GenericType.of(type), ask, patience);
    }

    <T> Optional<T> task(String name, GenericType<T> type, Ask ask, Duration patience);

    /** Sets an attribute by which this job can be found, replacing its previous value. */
    void attribute(String name, String value);

    /** Runs another workflow as a child job and returns its result. Cancelling this job cancels the child. */
    default <T extends @Nullable Object> T child(String workflow, @Nullable Object input, Class<T> type) {
        return child(workflow, input, GenericType.of(type));
    }

    <T extends @Nullable Object> T child(String workflow, @Nullable Object input, GenericType<T> type);

    /**
     * Asks a participant of the exchange, which works on its own database, and returns its result. The request is posted once,
     * and both sides record it and its outcome. The participant gets the request as JSON; a result that is not JSON is read as
     * {@code byte[]}. There is no time-out, because only the participant decides the outcome: to stop waiting, use
     * {@link #any} with a {@link #sleep}.
     *
     * @throws StepFailedException if the participant rejects the request, with its reason
     */
    default <T extends @Nullable Object> T remote(String participant, @Nullable Object request, Class<T> type) {
        return remote(participant, request, GenericType.of(type));
    }

    <T extends @Nullable Object> T remote(String participant, @Nullable Object request, GenericType<T> type);

    /** Sleeps; the sleep survives restarts. */
    void sleep(Duration duration);

    /**
     * Runs the branches side by side and returns what they returned, in their order. The first failure fails all of them: the
     * commit that records it ends the others, with their waits, tasks, children and branches. A signal that one of them took,
     * also one that had returned, is there again for the next wait, unless that branch recorded anything after it.
     */
    default <T extends @Nullable Object> List<T> all(Class<T> type, List<Branch<T>> branches) {
        return all(GenericType.of(type), branches);
    }

    <T extends @Nullable Object> List<T> all(GenericType<T> type, List<Branch<T>> branches);

    /**
     * Runs the branches side by side and returns what the first one returned. The commit that records who was first ends the
     * others, with their waits, tasks, children and branches. A signal that one of them took is there again for the next wait,
     * unless that branch recorded anything after it.
     */
    default <T extends @Nullable Object> T any(Class<T> type, List<Branch<T>> branches) {
        return any(GenericType.of(type), branches);
    }

    <T extends @Nullable Object> T any(GenericType<T> type, List<Branch<T>> branches);

    /**
     * Guards a change to a workflow that has open jobs: true for jobs that reach this call for the first time with the call in
     * the code, false for jobs that passed this place before the call was added, or may have done so when their process died.
     * The first answer for an ID is recorded and holds for the whole job; a branch decides for itself what its parent has not
     * decided.
     *
     * <pre>{@code
     * if (ctx.patched("check-address")) {
     *     ctx.step("check address", …);
     * }
     * }</pre>
     *
     * @param id letters, digits, '_' and '-'; remove the call when no job from before it is open
     */
    boolean patched(String id);

    /**
     * Registers an undo for the next step, in case the job fails, is cancelled or times out. Then all undos run before the job
     * closes, in reverse order, each with retries like a step. Inside an undo, {@link #key()} names the undo; no other call is
     * allowed. If an undo fails for good the others still run, and the job has failed.
     *
     * <p>Call this before the step, because the job may be ended while the step runs; so an undo must be safe even if its step
     * never ran.
     */
    default void undo(String name, Undo work) {
        undo(name, Retry.DEFAULT, work);
    }

    void undo(String name, Retry retry, Undo work);

    /**
     * Ends this job and continues as a new one of the same workflow, in its newest version and with an empty record. Use it for
     * workflows that run forever: the job reads its whole record again whenever it wakes. The new job inherits signals not
     * taken yet, the time-out and everyone waiting for the result, but no undos.
     *
     * <p>Never returns: write {@code return ctx.continueAsNew(next);}. Branches cannot call this.
     */
    @SuppressWarnings("TypeParameterUnusedInFormals") // never returns, so it fits any return type
    <T extends @Nullable Object> T continueAsNew(@Nullable Object input);

    /** A new UUID, the same in every run. */
    UUID uuid();

    /** The time of this call in the first run that made it. */
    Instant now();

    /** A random generator that returns the same numbers in every run. */
    RandomGenerator random();

    /**
     * An idempotency key for foreign systems: the same in every run for the same place of the same job, different everywhere
     * else. Inside a step it names that step.
     */
    String key();

    /** A part of a workflow that runs in parallel with others, with its own context. */
    @FunctionalInterface
    interface Branch<T extends @Nullable Object> {
        T run(Context context) throws Exception;
    }
}
