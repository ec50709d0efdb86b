package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import io.opentelemetry.api.OpenTelemetry;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Speaks to a server. Every call blocks until the answer is definite, or until patience is at its end.
 *
 * <p>A request whose outcome is unknown is sent again by itself, under the same key. What is thrown is a {@link TallyException}
 * whose type says what to do. Thread-safe.
 */
public final class TallyClient {

    /** How long one call goes on trying. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String JOBS = "/v1/jobs";

    private final Exchange exchange;
    private final Keys keys;
    private final OpenTelemetry telemetry;

    /** @param server its address, with the path under which a proxy has it, if there is one */
    public TallyClient(URI server, String token) {
        this(server, token, PATIENCE);
    }

    /** @param patience how long one call goes on trying; what it asks the server to wait comes on top */
    public TallyClient(URI server, String token, Duration patience) {
        this(new Exchange(server, token, patience, null));
    }

    /** @param trust which servers to believe, such as {@link Trust#in} */
    public TallyClient(URI server, String token, Duration patience, SSLContext trust) {
        this(new Exchange(server, token, patience, trust));
    }

    private TallyClient(Exchange exchange) {
        this(exchange, new Keys(exchange), OpenTelemetry.noop());
    }

    private TallyClient(Exchange exchange, Keys keys, OpenTelemetry telemetry) {
        this.exchange = exchange;
        this.keys = keys;
        this.telemetry = telemetry;
    }

    /**
     * The same client, whose {@link Worker}s make spans of their own. Requests carry the context of the span that is current in any
     * case.
     */
    public TallyClient withOpenTelemetry(OpenTelemetry other) {
        return new TallyClient(exchange, keys, other);
    }

    /**
     * The same client, which also hands over what the server answers, as it came: for those who pass it on, or look for something
     * that has no name here. Refusals and streams are not among it. What {@link Keys#once} of this one remembers, the other does
     * not know.
     *
     * @param listener is called before the call returns that the reply is for, by the same thread
     */
    public TallyClient withReplies(Consumer<Reply> listener) {
        Exchange telling = exchange.telling(listener);
        return new TallyClient(telling, new Keys(telling), telemetry);
    }

    Exchange exchange() {
        return exchange;
    }

    OpenTelemetry telemetry() {
        return telemetry;
    }

    /**
     * A job that is to be submitted.
     *
     * @param version a certain one of the workflow; null for the newest
     * @param notBefore when it may begin; null for at once
     * @param attributes what it can be found by
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
     */
    public record Submitted(
            UUID job, String workflow, int version, String fingerprint, boolean historyAvailable, boolean duplicate) {}

    /**
     * How a job stands.
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
     * A signal that a job has.
     *
     * @param duplicate whether it was sent under this key before
     */
    public record Signalled(UUID job, String signal, boolean duplicate) {}

    /**
     * A job that was asked to end.
     *
     * @param status as it was just before: {@code open}, or how the job had ended already
     */
    public record CancelRequested(UUID job, String status) {}

    /**
     * A job that does again what another has done.
     *
     * @param continuedFrom the other one
     * @param duplicate whether it was begun under this key before
     */
    public record JobAgain(UUID job, UUID continuedFrom, boolean duplicate) {}

    /** Submits a job. It is durable when this returns. */
    public Submitted submit(NewJob job, IdempotencyKey key) {
        Map<String, Json> body = new TreeMap<>();
        body.put("workflow", Json.of(job.workflow()));
        body.put("input", job.input());
        body.put("priority", Json.of(job.priority().word()));
        if (job.version() != null) {
            body.put("version", Json.of(job.version()));
        }
        if (job.notBefore() != null) {
            body.put("not_before", Json.of(job.notBefore().toString()));
        }
        if (!job.attributes().isEmpty()) {
            Map<String, Json> attributes = new TreeMap<>();
            job.attributes().forEach((name, value) -> attributes.put(name, Json.of(value)));
            body.put("attributes", new Json.ObjectValue(attributes));
        }
        return exchange.ask(
                Request.post(JOBS, new Json.ObjectValue(body)).under(key.value()),
                accepted -> new Submitted(
                        accepted.about("key", key.value()).text("job_id", UUID::fromString),
                        accepted.text("workflow"),
                        accepted.count("version"),
                        accepted.text("fingerprint"),
                        accepted.flag("history_available"),
                        accepted.flag("duplicate")));
    }

    /** As {@link #submit(NewJob, IdempotencyKey)}, with a key from a mint, which forgets it once the answer is definite. */
    public Submitted submit(NewJob job, KeyMint mint, String purpose) {
        return mint.under(purpose, key -> submit(job, key));
    }

    /** How the job stands, at the latest after {@code wait}, in whole seconds, rounded up; at most a minute. */
    public Result result(UUID job, Duration wait) {
        Query query = new Query(path(job, "result")).withSeconds("wait", wait);
        return exchange.ask(query.read().waiting(wait), result -> {
            requireJob(result);
            return new Result(job, result.text("status"), result.jsonIfThere("output"), result.textIfThere("error"));
        });
    }

    /** Sends a job a signal. The same key again is the same signal. */
    public Signalled signal(UUID job, String signal, Json payload, IdempotencyKey key) {
        Body body = new Body().with("payload", payload);
        return exchange.ask(
                Request.post(path(job, "signals/" + encode(signal)), body.json())
                        .under(key.value()),
                sent -> {
                    requireJob(sent);
                    return new Signalled(
                            job, signal, sent.about("signal", signal).flag("duplicate"));
                });
    }

    /** Asks for the end of a job and of its children. */
    public CancelRequested cancel(UUID job) {
        return exchange.ask(Request.post(path(job, "cancel"), null), asked -> {
            requireJob(asked);
            return new CancelRequested(job, asked.text("status"));
        });
    }

    /** Does a closed job again from its beginning. The same key again is the same new job. */
    public JobAgain rerun(UUID job, IdempotencyKey key) {
        return again(Request.post(path(job, "rerun"), null).under(key.value()));
    }

    /** Does a closed job again from one of its steps on. The same key again is the same new job. */
    public JobAgain fork(UUID job, String step, IdempotencyKey key) {
        Body body = new Body().with("step", step);
        return again(Request.post(path(job, "fork"), body.json()).under(key.value()));
    }

    /** Not always the one that was asked about: one that goes on as another is answered for by that. */
    private static void requireJob(Fields answer) {
        UUID unused = answer.text("job_id", UUID::fromString);
    }

    private JobAgain again(Request request) {
        return exchange.ask(
                request,
                begun -> new JobAgain(
                        begun.text("job_id", UUID::fromString),
                        begun.text("continued_from", UUID::fromString),
                        begun.flag("duplicate")));
    }

    private static String path(UUID job, String what) {
        return JOBS + "/" + job + "/" + what;
    }

    /** Jobs, to be found and followed. */
    public Jobs jobs() {
        return new Jobs(exchange);
    }

    /** Messages, and the history of them. */
    public Messages messages() {
        return new Messages(exchange);
    }

    /** What the member of the token, or a queue, was sent. */
    public Deliveries deliveries() {
        return new Deliveries(exchange);
    }

    public Topics topics() {
        return new Topics(exchange);
    }

    public Queues queues() {
        return new Queues(exchange);
    }

    /** Addresses that the server calls. */
    public Webhooks webhooks() {
        return new Webhooks(exchange);
    }

    /** What is done once under a key. */
    public Keys keys() {
        return keys;
    }

    /** The members of the mesh. */
    public Members members() {
        return new Members(exchange);
    }

    /** The tokens of the members. */
    public Tokens tokens() {
        return new Tokens(exchange);
    }

    /** The meshes of the installation. */
    public Meshes meshes() {
        return new Meshes(exchange);
    }

    /** What the server can do, by name, so that a client need not try. */
    public List<String> features() {
        return exchange.ask(Request.get("/v1/features"), answer -> answer.texts("features"));
    }

    /** Looks whether all that was accepted together is still together, for admins of the mesh {@code default}. */
    public Orphans orphans() {
        return exchange.ask(Request.get("/v1/orphans"), Orphans::of);
    }

    /** What failed and is to be decided about. */
    public DeadLetters deadLetters() {
        return new DeadLetters(exchange);
    }

    /** What the server starts by the clock. */
    public Schedules schedules() {
        return new Schedules(exchange);
    }

    /** What jobs ask people. */
    public Tasks tasks() {
        return new Tasks(exchange);
    }

    /** What the server can run. */
    public Workflows workflows() {
        return new Workflows(exchange);
    }

    /** The devices of the member of the token. */
    public Devices devices() {
        return new Devices(exchange);
    }

    /** One segment of a path, or one value of a query. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
