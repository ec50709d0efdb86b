package dev.tallystick.client;

import dev.tallystick.client.mint.KeyMint;
import dev.tallystick.client.net.Trust;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.api.JobApi;
import dev.tallystick.core.api.JobApi.ForkJob;
import dev.tallystick.core.api.JobApi.JobAccepted;
import dev.tallystick.core.api.JobApi.JobResult;
import dev.tallystick.core.api.JobApi.JobStatus;
import dev.tallystick.core.api.JobApi.SendSignal;
import dev.tallystick.core.api.JobApi.SignalSent;
import dev.tallystick.core.api.JobApi.SubmitJob;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.core.api.SystemApi.Features;
import dev.tallystick.core.api.SystemApi.Orphans;
import io.opentelemetry.api.OpenTelemetry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A client of a server. Every call blocks until the answer is definite, or until its patience runs out.
 *
 * <p>The client repeats a request whose outcome is unknown, under the same key. It throws a {@link TallyException} whose type
 * says what to do. Thread-safe.
 */
public final class TallyClient {

    /** How long one call keeps trying. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String JOBS = "/v1/jobs";

    private final Transport transport;
    private final Keys keys;
    private final OpenTelemetry telemetry;

    /** @param server its address, with the path under which a proxy serves it, if any */
    public TallyClient(URI server, String token) {
        this(server, token, PATIENCE);
    }

    /** @param patience how long one call keeps trying, plus the time for which it asks the server to wait */
    public TallyClient(URI server, String token, Duration patience) {
        this(new Transport(server, token, patience, null));
    }

    /** @param trust which servers to trust, such as {@link Trust#in} */
    public TallyClient(URI server, String token, Duration patience, SSLContext trust) {
        this(new Transport(server, token, patience, trust));
    }

    /**
     * A client of this machine's daemon instead of a server: for messages and jobs that must be kept while the server cannot be
     * reached.
     *
     * @param directory the daemon's
     */
    public static DaemonClient throughDaemon(Path directory) {
        return throughDaemon(directory, DaemonClient.PATIENCE);
    }

    /**
     * As {@link #throughDaemon(Path)}.
     *
     * @param patience how long one call keeps trying
     */
    public static DaemonClient throughDaemon(Path directory, Duration patience) {
        return new DaemonClient(directory, patience);
    }

    private TallyClient(Transport transport) {
        this(transport, new Keys(transport), OpenTelemetry.noop());
    }

    private TallyClient(Transport transport, Keys keys, OpenTelemetry telemetry) {
        this.transport = transport;
        this.keys = keys;
        this.telemetry = telemetry;
    }

    /**
     * The same client, whose {@link Worker}s create their own spans. Requests carry the context of the current span in any
     * case.
     */
    public TallyClient withOpenTelemetry(OpenTelemetry other) {
        return new TallyClient(transport, keys, other);
    }

    /**
     * The same client, which also passes on the server's answers as they came: to forward them, or to read members that have no
     * name here. This excludes refusals and streams. The two clients do not share what {@link Keys#once} remembers.
     *
     * @param listener called on the calling thread, before the call returns
     */
    public TallyClient withReplies(Consumer<Reply> listener) {
        Transport telling = transport.telling(listener);
        return new TallyClient(telling, new Keys(telling), telemetry);
    }

    Transport transport() {
        return transport;
    }

    OpenTelemetry telemetry() {
        return telemetry;
    }

    /**
     * A job to submit.
     *
     * @param version the version of the workflow; null for the newest
     * @param notBefore when it may begin; null for at once
     * @param attributes to find it by
     */
    public record NewJob(
            String workflow,
            Json input,
            Priority priority,
            @Nullable Integer version,
            @Nullable Instant notBefore,
            Map<String, String> attributes) {

        public static NewJob of(String workflow, Json input) {
            return new NewJob(workflow, input, Priority.DEFAULT, null, null, Map.of());
        }

        public NewJob withPriority(Priority other) {
            return new NewJob(workflow, input, other, version, notBefore, attributes);
        }

        public NewJob withVersion(int number) {
            return new NewJob(workflow, input, priority, number, notBefore, attributes);
        }

        public NewJob notBefore(Instant moment) {
            return new NewJob(workflow, input, priority, version, moment, attributes);
        }

        public NewJob withAttribute(String name, String value) {
            Map<String, String> more = new TreeMap<>(attributes);
            more.put(name, value);
            return new NewJob(workflow, input, priority, version, notBefore, Map.copyOf(more));
        }
    }

    /**
     * A job that the server has accepted.
     *
     * @param historyAvailable whether the message that made it can still be read; its key is remembered for longer
     * @param duplicate whether it was accepted under this key before
     * @param promise the signed promise that the job will be in the log, which {@code tally verify} checks. A repeat gets the
     *     same one. Null if the server that accepted the job does not seal
     */
    public record Submitted(
            UUID job,
            String workflow,
            int version,
            String fingerprint,
            boolean historyAvailable,
            boolean duplicate,
            Json.@Nullable ObjectValue promise) {}

    /**
     * The state of a job.
     *
     * @param status {@code open}, or how it ended
     * @param output what it returned; null unless it completed
     * @param error why it did not complete; null otherwise
     */
    public record Result(
            UUID job,
            String status,
            @Nullable Json output,
            @Nullable String error) {

        public boolean isOpen() {
            return status.equals("open");
        }
    }

    /**
     * A signal that a job has received.
     *
     * @param duplicate whether it was sent under this key before
     */
    public record Signalled(UUID job, String signal, boolean duplicate) {}

    /**
     * A job that was asked to end.
     *
     * @param status its status just before: {@code open}, or how the job had already ended
     */
    public record CancelRequested(UUID job, String status) {}

    /**
     * A job that repeats another one.
     *
     * @param continuedFrom the other job
     * @param duplicate whether it was started under this key before
     */
    public record JobAgain(UUID job, UUID continuedFrom, boolean duplicate) {}

    /** Submits a job. It is durable when this returns. */
    public Submitted submit(NewJob job, IdempotencyKey key) {
        return transport.ask(
                Request.post(JOBS, body(job)).under(key.value()).submitting(),
                JobAccepted.class,
                accepted -> Transport.about(
                        new Submitted(
                                accepted.jobId(),
                                accepted.workflow(),
                                accepted.version(),
                                accepted.fingerprint(),
                                accepted.historyAvailable(),
                                accepted.duplicate(),
                                promise(accepted.promise())),
                        accepted.key(),
                        key));
    }

    private static Json.@Nullable ObjectValue promise(@Nullable RawJson promise) {
        return promise == null ? null : Fields.of(promise.json()).object();
    }

    static SubmitJob body(NewJob job) {
        Map<String, Json> attributes = new TreeMap<>();
        job.attributes().forEach((name, value) -> attributes.put(name, Json.of(value)));
        return new SubmitJob(
                job.workflow(),
                job.input(),
                job.version(),
                job.priority(),
                job.notBefore(),
                attributes.isEmpty() ? null : new Json.ObjectValue(attributes));
    }

    /** As {@link #submit(NewJob, IdempotencyKey)}, with a key from a mint, which settles it once the answer is definite. */
    public Submitted submit(NewJob job, KeyMint mint, String purpose) {
        return mint.under(purpose, key -> submit(job, key));
    }

    /** The state of the job, after {@code wait} at the latest, in whole seconds, rounded up; at most a minute. */
    public Result result(UUID job, Duration wait) {
        Query query = new Query(path(job, "result")).withSeconds("wait", wait);
        return transport.ask(query.read().waiting(wait), JobResult.class, result -> {
            RawJson output = result.output();
            return new Result(job, result.status(), output == null ? null : output.json(), result.error());
        });
    }

    /** Sends a job a signal. The same key again is the same signal. */
    public Signalled signal(UUID job, String signal, Json payload, IdempotencyKey key) {
        return transport.ask(
                Request.post(path(job, "signals/" + Query.encode(signal)), new SendSignal(payload))
                        .under(key.value()),
                SignalSent.class,
                sent -> Transport.about(new Signalled(job, signal, sent.duplicate()), sent.signal(), signal));
    }

    /** Cancels a job and its children. */
    public CancelRequested cancel(UUID job) {
        return transport.ask(
                Request.post(path(job, "cancel")), JobStatus.class, asked -> new CancelRequested(job, asked.status()));
    }

    /** Runs a closed job again from its beginning. The same key again is the same new job. */
    public JobAgain rerun(UUID job, IdempotencyKey key) {
        return again(Request.post(path(job, "rerun")).under(key.value()));
    }

    /** Runs a closed job again from one of its steps. The same key again is the same new job. */
    public JobAgain fork(UUID job, String step, IdempotencyKey key) {
        return again(Request.post(path(job, "fork"), new ForkJob(step)).under(key.value()));
    }

    private JobAgain again(Request request) {
        return transport.ask(
                request,
                JobApi.JobAgain.class,
                begun -> new JobAgain(begun.jobId(), begun.continuedFrom(), begun.duplicate()));
    }

    private static String path(UUID job, String what) {
        return JOBS + "/" + job + "/" + what;
    }

    /** Find and follow jobs. */
    public Jobs jobs() {
        return new Jobs(transport);
    }

    /** Messages and their history. */
    public Messages messages() {
        return new Messages(transport);
    }

    /** Messages to the token's member, or to a queue. */
    public Deliveries deliveries() {
        return new Deliveries(transport);
    }

    public Topics topics() {
        return new Topics(transport);
    }

    public Queues queues() {
        return new Queues(transport);
    }

    /** Addresses that the server calls. */
    public Webhooks webhooks() {
        return new Webhooks(transport);
    }

    /** Postings to and from partners; for operators. */
    public Postings postings() {
        return new Postings(transport);
    }

    /** Work done once under a key. */
    public Keys keys() {
        return keys;
    }

    /** The members of the mesh. */
    public Members members() {
        return new Members(transport);
    }

    /** The tokens of the members. */
    public Tokens tokens() {
        return new Tokens(transport);
    }

    /** The meshes of the installation. */
    public Meshes meshes() {
        return new Meshes(transport);
    }

    /** What the server can do, and its limits. */
    public Features features() {
        return transport.ask(Request.get("/v1/features"), Features.class);
    }

    /** Checks that everything accepted together is still complete, for admins of the mesh {@code default}. */
    public Orphans orphans() {
        return transport.ask(Request.get("/v1/orphans"), Orphans.class);
    }

    /** Failed jobs to redrive or discard. */
    public DeadLetters deadLetters() {
        return new DeadLetters(transport);
    }

    /** The server's schedules. */
    public Schedules schedules() {
        return new Schedules(transport);
    }

    /** Tasks that jobs give to people. */
    public Tasks tasks() {
        return new Tasks(transport);
    }

    /** The server's workflows. */
    public Workflows workflows() {
        return new Workflows(transport);
    }

    /** The devices of the token's member. */
    public Devices devices() {
        return new Devices(transport);
    }
}
