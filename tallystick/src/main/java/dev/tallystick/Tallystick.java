package dev.tallystick;

import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Opened;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Registrations;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.graph.InvalidGraphException;
import dev.tallystick.engine.model.DeadLetter;
import dev.tallystick.engine.schedule.Schedule;
import dev.tallystick.engine.schedule.Scheduler;
import dev.tallystick.engine.view.JobQuery;
import dev.tallystick.engine.view.Unclaimed;
import dev.tallystick.keys.Handler;
import dev.tallystick.keys.KeyLedger;
import dev.tallystick.keys.Once;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.keys.TransactionalHandler;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.GenericType;
import dev.tallystick.workflow.GraphWorker;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.Work;
import dev.tallystick.workflow.Workflow;
import dev.tallystick.workflow.WorkflowType;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Durable workflows in your own process.
 *
 * <pre>{@code
 * try (Tallystick tally = Tallystick.builder().dataSource(dataSource).build()) {
 *     tally.register("order", OrderWorkflow.class);
 *     tally.start();
 *     JobHandle<Confirmation> job = tally.submit("order", order, Submit.key("web-1:42:9f3a6c0b1d2e4f58"));
 *     Confirmation done = job.result(Duration.ofSeconds(30));
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class Tallystick implements AutoCloseable {

    private static final int MOST_LETTERS = 1_000;

    private final Engine engine;
    private final Scheduler scheduler;
    private final @Nullable Exchange exchange;
    private final Registrations registrations;
    private final KeyLedger keys;
    private final InstantSource sharedClock;
    private final Codec codec;
    private final Scope scope;
    private final JsonCodec plain = new JsonCodec();
    private final Opened opened;
    private final CountDownLatch closed = new CountDownLatch(1);

    Tallystick(
            Engine engine,
            Scheduler scheduler,
            @Nullable Exchange exchange,
            Registrations registrations,
            KeyLedger keys,
            InstantSource sharedClock,
            Codec codec,
            Scope scope,
            Opened opened) {
        this.engine = engine;
        this.scheduler = scheduler;
        this.exchange = exchange;
        this.registrations = registrations;
        this.keys = keys;
        this.sharedClock = sharedClock;
        this.codec = codec;
        this.scope = scope;
        this.opened = opened;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** {@link Builder#migrate} in the schema {@code tally}. */
    public static List<String> migrate(DataSource source) {
        return builder().dataSource(source).migrate();
    }

    /** Registers a workflow that this process runs. The class implements {@link Workflow} with explicit type arguments. */
    public <I extends @Nullable Object, O extends @Nullable Object> void register(
            String name, Class<? extends Workflow<I, O>> workflow) {
        register(WorkflowType.of(name, workflow));
    }

    /** Registers a workflow that this process runs, as a lambda, whose types cannot be inferred. */
    public <I extends @Nullable Object, O extends @Nullable Object> void register(
            String name, Class<I> input, Class<O> output, Workflow<I, O> body) {
        register(WorkflowType.of(name, input, output, body));
    }

    /** Registers one version of a workflow that this process runs; jobs keep the version that they began with. */
    public void register(WorkflowType<?, ?> type) {
        engine.register(type);
        registrations.add(type);
    }

    /** Registers a graph that this process runs, under its own name and version. Register its workers with {@link #worker}. */
    public void register(Graph graph) {
        engine.register(graph);
        registrations.add(graph);
    }

    /**
     * Registers a graph that this process runs, as YAML.
     *
     * @throws InvalidGraphException if the graph is invalid; lists all problems
     */
    public void registerYaml(String yaml) {
        register(GraphYaml.read("graph", yaml));
    }

    /** Like {@link #registerYaml(String)}, from a file. */
    public void registerYaml(Path file) throws IOException {
        register(GraphYaml.read(String.valueOf(file.getFileName()), Files.readString(file)));
    }

    /**
     * Registers the handler of the work that graphs have for {@code name}, as a worker or as a topic. Its result is recorded
     * exactly once; the work is done at least once, each time under the same {@link Work#key}.
     */
    public <I extends @Nullable Object, O extends @Nullable Object> void worker(
            String name, Class<I> input, GraphWorker<I, O> worker) {
        engine.worker(name, input, worker);
    }

    /**
     * Begins to run jobs: those submitted here, and those submitted or left behind elsewhere. A process that only submits needs
     * neither this nor the workflows; a process with workers but no workflow only does the work of their topics.
     */
    public void start() {
        engine.start();
        scheduler.start();
        if (exchange != null) {
            exchange.start();
        }
    }

    /**
     * Submits a job. It is durable when this returns.
     *
     * @throws KeyReusedException if the key is bound to another request
     * @throws PayloadTooLargeException if the input has more than 1 MiB
     */
    public <O extends @Nullable Object> JobHandle<O> submit(String workflow, @Nullable Object input, Submit how) {
        return handle(workflow, engine.submitTracked(submission(workflow, input, how)));
    }

    /**
     * Submits jobs together, at little more than the cost of one. They are independent: each has its own outcome.
     *
     * @return the result of each, in the order of the requests
     */
    public <O extends @Nullable Object> List<Submitted<O>> submitAll(String workflow, List<Request> requests) {
        List<Engine.Tracked> followed = requests.stream()
                .map(request -> followOrRefuse(workflow, request))
                .toList();
        List<Submitted<O>> outcomes = new ArrayList<>(requests.size());
        followed.forEach(each -> outcomes.add(outcome(workflow, each)));
        return outcomes;
    }

    /** An invalid request does not prevent the others. */
    private Engine.Tracked followOrRefuse(String workflow, Request request) {
        try {
            return engine.submitTracked(submission(workflow, request.input(), request.how()));
        } catch (RuntimeException e) {
            return refused(e);
        } catch (Error e) {
            return refused(new IllegalStateException("the input cannot be written or read: " + e, e));
        }
    }

    private static Engine.Tracked refused(RuntimeException reason) {
        return new Engine.Tracked(CompletableFuture.failedFuture(reason), new CompletableFuture<>());
    }

    private <O extends @Nullable Object> Submitted<O> outcome(String workflow, Engine.Tracked following) {
        try {
            return new Submitted.Taken<>(handle(workflow, following));
        } catch (UnknownOutcomeException | CompletionException e) {
            return new Submitted.Unknown<>(e);
        } catch (RuntimeException e) {
            return new Submitted.Refused<>(e);
        }
    }

    /**
     * Submits a job inside your own transaction: the job exists if and only if you commit.
     *
     * @param transaction on the same database, with auto-commit off
     */
    public <O extends @Nullable Object> JobHandle<O> submit(
            Connection transaction, String workflow, @Nullable Object input, Submit how) throws SQLException {
        Accepted accepted = engine.submitIn(transaction, submission(workflow, input, how));
        return handle(workflow, accepted, new CompletableFuture<>());
    }

    /** Runs a workflow on a schedule with this name. Finish with {@link ScheduleBuilder#save}. */
    public ScheduleBuilder schedule(String name, String workflow) {
        return new ScheduleBuilder(
                (cron, zone, input, priority) -> new Schedule(
                        scope,
                        name,
                        workflow,
                        cron,
                        zone,
                        Payloads.encode(codec, input),
                        fingerprint(workflow, input, priority),
                        priority),
                scheduler::save);
    }

    /** Lists, pauses, resumes, deletes and triggers the schedules of this mesh. */
    public Schedules schedules() {
        return new Schedules(
                scheduler, scope.mesh(), (workflow, accepted) -> handle(workflow, accepted, new CompletableFuture<>()));
    }

    /** Finds jobs of this mesh by workflow, state, time and attributes. */
    public JobFinder jobs() {
        return new JobFinder(engine, JobQuery.of(scope.mesh()));
    }

    /**
     * Runs your handler once under a key, for an effect outside this database, and answers repeats with its answer. After a
     * crash midway, it is unknown whether the effect happened, and the key says so until you {@link #keys resolve} it. The key
     * becomes unknown when the process restarts under its {@link Builder#instance name}; without a name it stays pending.
     *
     * @param operation the name of the operation; the same key for a different one is refused
     * @param request what the key identifies, together with the operation
     */
    public <X extends Exception> Once once(String operation, String key, @Nullable Object request, Handler<X> handler)
            throws X {
        return keys.once(scoped(key), fingerprint(operation, request, Priority.DEFAULT), handler);
    }

    /** Like {@link #once}, for an effect in a transaction of this database: effect and answer commit together. */
    public Once onceInTransaction(
            String operation, String key, @Nullable Object request, TransactionalHandler handler) {
        return keys.onceInTransaction(scoped(key), fingerprint(operation, request, Priority.DEFAULT), handler);
    }

    private ScopedKey scoped(String key) {
        return new ScopedKey(scope, new IdempotencyKey(key));
    }

    /** The keys of {@link #once}: look them up, list the unresolved ones, and resolve them. */
    public KeyLedger keys() {
        return keys;
    }

    /** The tasks that the jobs of this mesh have for people: find, claim and answer them. */
    public Tasks tasks() {
        return new Tasks(engine.tasks(), scope.mesh(), codec);
    }

    /**
     * The part of this process in the exchange.
     *
     * @throws IllegalStateException if it takes none
     */
    public Exchange exchange() {
        if (exchange == null) {
            throw new IllegalStateException(
                    "this process takes no part in an exchange: Builder.exchange(…) configures it");
        }
        return exchange;
    }

    /** A job that was submitted earlier, here or elsewhere. */
    public <O extends @Nullable Object> JobHandle<O> job(JobId id, Class<O> output) {
        return new JobHandle<>(
                engine, codec, scope.mesh(), id, output, JobHandle.Origin.NAMED, new CompletableFuture<>());
    }

    /** Like {@link #job(JobId, Class)}, for a generic type. */
    public <O extends @Nullable Object> JobHandle<O> job(JobId id, GenericType<O> output) {
        return new JobHandle<>(
                engine, codec, scope.mesh(), id, output.type(), JobHandle.Origin.NAMED, new CompletableFuture<>());
    }

    /** Runs a closed job again from its beginning: in the newest version, and under new keys for external systems. */
    public <O extends @Nullable Object> JobHandle<O> rerun(JobHandle<O> job) {
        return again(engine.reruns().rerun(scope.mesh(), job.id()), job.output());
    }

    /**
     * Runs a closed job again starting at one of its steps: in the same version, and under the same keys for external systems.
     * Everything before that step is taken from the record.
     *
     * @param step its name, or its place if several steps have that name
     */
    public <O extends @Nullable Object> JobHandle<O> fork(JobHandle<O> job, String step) {
        return again(engine.reruns().fork(scope.mesh(), job.id(), step), job.output());
    }

    /** Jobs that failed or timed out, have no waiting parent and have not been redriven, oldest first. */
    public List<DeadLetter> deadLetters() {
        return engine.reruns().deadLetters(scope.mesh(), MOST_LETTERS);
    }

    /** Forks a failed job where it failed. Redriving the same letter again returns the same job. */
    public <O extends @Nullable Object> JobHandle<O> redrive(DeadLetter letter) {
        Type output = engine.outputOf(letter.workflow());
        return again(engine.reruns().redrive(scope.mesh(), letter.job()), output);
    }

    /** Dismisses the letter; the failed job stays as it is. */
    public void discard(DeadLetter letter) {
        engine.reruns().discard(scope.mesh(), letter.job(), Also.NOTHING);
    }

    private <O extends @Nullable Object> JobHandle<O> again(JobId id, Type output) {
        return new JobHandle<>(
                engine, codec, scope.mesh(), id, output, JobHandle.Origin.NEW, new CompletableFuture<>());
    }

    /** Due jobs that no process takes, because their version's code is registered nowhere. */
    public List<Unclaimed> unclaimed() {
        return engine.unclaimed();
    }

    /** Lets running work reach a commit and releases the rest, for another process or the next start. */
    @Override
    public void close() {
        opened.close();
        closed.countDown();
    }

    /** Waits until another thread closes this. Call it last in {@code main}, because no thread here keeps the JVM alive. */
    public void awaitTermination() throws InterruptedException {
        closed.await();
    }

    private Submission submission(String workflow, @Nullable Object input, Submit how) {
        IdempotencyKey key = how.key();
        return new Submission(
                scope.mesh(),
                workflow,
                how.version(),
                Payloads.encode(codec, input),
                key == null ? null : new ScopedKey(scope, key),
                key == null ? null : fingerprint(workflow, input, how.priority()),
                how.priority(),
                how.delayFrom(sharedClock),
                how.timeout(),
                how.attributes());
    }

    /** A key identifies the value that the caller passed, not its encoding by a codec. */
    private Fingerprint fingerprint(String workflow, @Nullable Object input, Priority priority) {
        Json document = Json.parse(plain.encode(input));
        return Fingerprint.of(Envelope.ofJob(workflow, document).withPriority(priority));
    }

    private <O extends @Nullable Object> JobHandle<O> handle(String workflow, Engine.Tracked following) {
        return handle(workflow, join(following.accepted()), following.end());
    }

    private <O extends @Nullable Object> JobHandle<O> handle(
            String workflow, Accepted accepted, CompletableFuture<Closed> end) {
        Type output = engine.outputOf(workflow);
        return switch (accepted) {
            case Accepted.Fresh fresh ->
                new JobHandle<>(engine, codec, scope.mesh(), fresh.job(), output, JobHandle.Origin.NEW, end);
            case Accepted.Duplicate duplicate ->
                new JobHandle<>(
                        engine,
                        codec,
                        scope.mesh(),
                        duplicate.job(),
                        output,
                        JobHandle.Origin.REPEATED,
                        new CompletableFuture<>());
            case Accepted.Reused reused -> throw new KeyReusedException(reused.reuse());
        };
    }

    /** What the future brings, or what it failed with, without the wrappers around it. */
    static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            RuntimeException failure = e;
            while (failure instanceof CompletionException && failure.getCause() instanceof RuntimeException cause) {
                failure = cause;
            }
            throw failure;
        }
    }
}
