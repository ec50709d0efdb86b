package dev.tallystick.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a workflow may ask for. Every answer is recorded once; after a crash the same question gets the same answer.
 *
 * <p>For one thread: that of the workflow, or of the branch that was given this. Inside a step only {@link #job} and {@link #key}
 * may be asked for. Anything else is refused with a {@link MisuseException}.
 */
public interface Context {

    /** The job that this is. */
    JobId job();

    /**
     * Does {@code work}, records what it returns and returns what the record says, in the first run as in every replay. The result
     * is recorded exactly once. The work itself may run again if the process dies before the result is durable, so give
     * {@link #key()} to foreign systems that it touches.
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
     * Does {@code work} inside the transaction that records its result: the effect happens exactly once. For SQL on the engine's
     * own database only. The work leaves the transaction open: ending it is refused.
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

    /** Waits for a signal of this name. One that came before is taken; each signal is taken once. */
    default <T> T await(String signal, Class<T> type) {
        return await(signal, GenericType.of(type));
    }

    <T> T await(String signal, GenericType<T> type);

    /** Waits for a signal of this name, or until {@code patience} is over. A signal that comes too late stays for the next. */
    default <T> Optional<T> await(String signal, Class<T> type, Duration patience) {
        return await(signal, GenericType.of(type), patience);
    }

    <T> Optional<T> await(String signal, GenericType<T> type, Duration patience);

    /** Asks people and waits for their answer. Who they are and who comes next if they are silent is for {@code ask} to say. */
    default <T> T task(String name, Class<T> type, Ask ask) {
        return task(name, GenericType.of(type), ask);
    }

    <T> T task(String name, GenericType<T> type, Ask ask);

    /** Asks people and waits for their answer, or until {@code patience} is over; then the task is no longer theirs to answer. */
    default <T> Optional<T> task(String name, Class<T> type, Ask ask, Duration patience) {
        return task(name, GenericType.of(type), ask, patience);
    }

    <T> Optional<T> task(String name, GenericType<T> type, Ask ask, Duration patience);

    /** From here on the job can be found by this, in place of what this attribute said before. */
    void attribute(String name, String value);

    /** Runs another workflow as a job of its own and returns its result. It is cancelled when this job is. */
    default <T extends @Nullable Object> T child(String workflow, @Nullable Object input, Class<T> type) {
        return child(workflow, input, GenericType.of(type));
    }

    <T extends @Nullable Object> T child(String workflow, @Nullable Object input, GenericType<T> type);

    /** Waits, also over restarts. */
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
     * Guards a change of a workflow whose jobs are under way: true for jobs that get here for the first time with this call in
     * the code, false for those that passed here before it was, or may have when their process died. The first answer for an id is recorded and stays for the whole
     * job; a branch decides for itself what its parent has not decided.
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
     * Says how to take back what the next step does, in case the job fails, is cancelled or runs out of time. Then all undos run
     * before the job closes, the last first, each tried like a step. Inside of one, {@link #key()} names it; it cannot ask for
     * anything else. If one fails for good the others run all the same, and the job has failed.
     *
     * <p>Say it before the step, because a job may be ended while the step is at it; so an undo must do no harm if the step never
     * came to its work.
     */
    default void undo(String name, Undo work) {
        undo(name, Retry.DEFAULT, work);
    }

    void undo(String name, Retry retry, Undo work);

    /**
     * Ends this job and goes on as a new one of the same workflow, in its newest version and with an empty record. For what runs
     * for ever: a record that only grows is read again whenever the job wakes. Signals that nobody took move along, and so do a
     * time-out and whoever waits for the result; undos do not.
     *
     * <p>Never returns: write {@code return ctx.continueAsNew(next);}. Not for branches.
     */
    @SuppressWarnings("TypeParameterUnusedInFormals") // it never returns, so it fits wherever a body returns
    <T extends @Nullable Object> T continueAsNew(@Nullable Object input);

    /** A new id, the same in every run. */
    UUID uuid();

    /** The time of the first run that asked. */
    Instant now();

    /** A source of chance that draws the same in every run. */
    RandomGenerator random();

    /**
     * A key for foreign systems: the same for every run of the same place of the same job, different everywhere else. Inside a
     * step it names that step.
     */
    String key();

    /** A part of a workflow that runs beside others, with a context of its own. */
    @FunctionalInterface
    interface Branch<T extends @Nullable Object> {
        T run(Context context) throws Exception;
    }
}
