package dev.tallystick.daemon.local;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.daemon.outbox.Acceptance;
import dev.tallystick.daemon.outbox.NewRow;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.OutboxState;
import dev.tallystick.daemon.outbox.RequestReader;
import dev.tallystick.daemon.outbox.RequestRefused;
import dev.tallystick.daemon.outbox.Requeue;
import dev.tallystick.daemon.outbox.SendLimits;
import dev.tallystick.daemon.storage.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Answers local requests. Thread-safe. */
public final class LocalRoutes {

    private static final int USUAL_PAGE = 100;
    private static final int LARGEST_PAGE = 1_000;
    private static final String OUTBOX = "/v1/outbox";
    private static final String REQUEUE = "/requeue";
    private static final List<String> MEMBERS_OF_REQUEUE = List.of("new_client_message_id", "message", "force");
    private static final List<String> MEMBERS_OF_ROTATE = List.of("grace_seconds");
    private static final long LONGEST_GRACE = Duration.ofDays(30).toSeconds();

    private final Outbox outbox;
    private final RequestReader reader;
    private final LocalServices services;

    public LocalRoutes(Outbox outbox, RequestReader reader, LocalServices services) {
        this.outbox = outbox;
        this.reader = reader;
        this.services = services;
    }

    /** An answer, or the beginning of a stream. */
    sealed interface Served {

        record Answered(LocalAnswer answer) implements Served {}

        record Streamed(EventSource events) implements Served {}
    }

    SendLimits limits() {
        return services.limits();
    }

    Served serve(LocalRequest request) {
        try {
            if (request.path().equals("/v1/events")) {
                requireMethod(request, "GET");
                request.allowParameters("after");
                return new Served.Streamed(services.events(after(request)));
            }
            return new Served.Answered(answer(request));
        } catch (RequestRefused e) {
            throw new LocalProblem(e.code(), String.valueOf(e.getMessage()));
        } catch (StorageException e) {
            throw explained(e);
        }
    }

    private static LocalProblem explained(StorageException e) {
        String why = String.valueOf(e.getMessage());
        return switch (e.kind()) {
            case FULL -> new LocalProblem(ProblemCode.OUTBOX_FULL, why + "; make room on the disk");
            case UNKNOWN ->
                new LocalProblem(ProblemCode.OUTCOME_UNKNOWN, why + "; repeat the request under the same key");
            case CLOSED -> new LocalProblem(ProblemCode.STOPPING, "the daemon is stopping");
            case DAMAGED ->
                new LocalProblem(
                        ProblemCode.OUTBOX_UNAVAILABLE, why + "; stop the daemon and run 'tally outbox check'");
            case UNAVAILABLE, TOO_NEW -> new LocalProblem(ProblemCode.OUTBOX_UNAVAILABLE, why);
        };
    }

    private LocalAnswer answer(LocalRequest request) {
        String path = request.path();
        return switch (path) {
            case "/v1/send" -> accept(request, false);
            case "/v1/jobs" -> accept(request, true);
            case OUTBOX -> list(request);
            case "/v1/inbox" -> inbox(request);
            case "/v1/device/rotate" -> rotate(request);
            case "/v1/health" -> health(request);
            case "/v1/version" -> version(request);
            case "/v1/metrics" -> metrics(request);
            default -> {
                if (!path.startsWith(OUTBOX + "/")) {
                    throw new LocalProblem(ProblemCode.NOT_FOUND, "there is nothing at " + path);
                }
                String rest = path.substring(OUTBOX.length() + 1);
                yield rest.endsWith(REQUEUE)
                        ? requeue(request, rest.substring(0, rest.length() - REQUEUE.length()))
                        : inspect(request, rest);
            }
        };
    }

    private LocalAnswer accept(LocalRequest request, boolean isJob) {
        requireMethod(request, "POST");
        request.allowParameters();
        Json body = json(request);
        String key = request.header("idempotency-key");
        String trace = request.header("traceparent");
        NewRow row = isJob ? reader.job(body, key, trace) : reader.send(body, key, trace);
        Acceptance acceptance;
        try {
            acceptance = outbox.accept(row);
        } catch (StorageException e) {
            // With its key: a caller that let the daemon make one needs it to ask again.
            throw explained(e).with("client_message_id", row.key().value());
        }
        return switch (acceptance) {
            case Acceptance.Queued queued -> {
                services.added();
                yield kept(queued.key(), "queued");
            }
            case Acceptance.Inflight inflight -> kept(inflight.key(), "inflight");
            case Acceptance.Duplicate duplicate -> LocalAnswer.json(200, delivered(duplicate));
            case Acceptance.Conflict conflict -> throw problem(conflict);
            case Acceptance.Full full ->
                throw isFull().with("client_message_id", full.key().value());
        };
    }

    private static LocalAnswer kept(IdempotencyKey key, String status) {
        return LocalAnswer.json(
                202,
                new Json.ObjectValue(Map.of("client_message_id", Json.of(key.value()), "status", Json.of(status))));
    }

    private static Json.ObjectValue delivered(Acceptance.Duplicate duplicate) {
        Map<String, Json> members = new TreeMap<>();
        members.put("client_message_id", Json.of(duplicate.key().value()));
        members.put("status", Json.of("ok"));
        members.put("duplicate", Json.of(true));
        members.put("broker_message_id", Json.of(duplicate.brokerMessageId()));
        if (duplicate.historyId() != null) {
            members.put("history_id", Json.of(duplicate.historyId()));
        }
        return new Json.ObjectValue(members);
    }

    private static LocalProblem problem(Acceptance.Conflict conflict) {
        String why = switch (conflict.state()) {
            case DEAD -> "the send with this key is dead; use a new key, or requeue the row";
            case ABORTED -> "an operator retired this key; use a new one";
            case PENDING, INFLIGHT, DONE ->
                "this key was already used for a different request; use a new key for a new request";
        };
        return new LocalProblem(ProblemCode.IDEMPOTENCY_KEY_REUSED, why)
                .with("client_message_id", conflict.key().value())
                .with("conflict", conflict.word())
                .with("request_fingerprint", conflict.offered())
                .with("bound_fingerprint", conflict.bound())
                .with("broker_message_id", conflict.brokerMessageId())
                .with("reason", conflict.reason());
    }

    private static LocalProblem isFull() {
        return new LocalProblem(
                ProblemCode.OUTBOX_FULL, "the outbox has reached its limit; wait for deliveries, or raise --max-bytes");
    }

    private LocalAnswer list(LocalRequest request) {
        requireMethod(request, "GET");
        request.allowParameters("status", "after", "limit", "key");
        int limit = (int) request.number("limit", USUAL_PAGE, 1, LARGEST_PAGE);
        String key = request.parameter("key");
        List<OutboxRow> rows = key == null
                ? outbox.list(state(request), request.number("after", 0, 0, Long.MAX_VALUE), limit)
                : outbox.findByKey(key(key)).stream().toList();
        Map<String, Json> members = new TreeMap<>();
        members.put(
                "rows",
                new Json.ArrayValue(rows.stream().<Json>map(RowView::summary).toList()));
        if (rows.size() == limit) {
            members.put("next", Json.of(rows.getLast().position()));
        }
        return LocalAnswer.json(200, new Json.ObjectValue(members));
    }

    private static @Nullable OutboxState state(LocalRequest request) {
        String word = request.parameter("status");
        try {
            return word == null ? null : OutboxState.parse(word);
        } catch (IllegalArgumentException e) {
            throw new LocalProblem(ProblemCode.MALFORMED_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private static IdempotencyKey key(String text) {
        try {
            return new IdempotencyKey(text);
        } catch (IllegalArgumentException e) {
            throw new LocalProblem(ProblemCode.IDEMPOTENCY_KEY_REFUSED, String.valueOf(e.getMessage()));
        }
    }

    private LocalAnswer inspect(LocalRequest request, String id) {
        requireMethod(request, "GET");
        request.allowParameters();
        OutboxRow row = row(id);
        return LocalAnswer.json(200, RowView.whole(row, outbox.chain(row)));
    }

    private OutboxRow row(String id) {
        Optional<OutboxRow> row = outbox.find(id);
        return row.orElseThrow(() -> new LocalProblem(ProblemCode.NOT_FOUND, "there is no row " + id));
    }

    private LocalAnswer requeue(LocalRequest request, String id) {
        requireMethod(request, "POST");
        request.allowParameters();
        Map<String, Json> wanted = members(request, MEMBERS_OF_REQUEUE);
        OutboxRow row = row(id);
        IdempotencyKey key = switch (wanted.get("new_client_message_id")) {
            case null -> outbox.newKey();
            case Json.StringValue text -> key(text.value());
            default -> throw new LocalProblem(ProblemCode.MALFORMED_REQUEST, "'new_client_message_id' must be a text");
        };
        Json message = wanted.get("message");
        boolean force = wanted.get("force") instanceof Json.BooleanValue flag && flag.value();
        if (row.state() == OutboxState.INFLIGHT) {
            // It may only wait for its next attempt.
            boolean unused = services.release(id);
        }
        Requeue outcome = outbox.requeue(
                new Requeue.Wish(id, key, message == null ? null : reader.patched(row, key, message), force));
        if (!(outcome instanceof Requeue.Requeued requeued)) {
            throw refusal(outcome).with("request_fingerprint", row.fingerprint().prefix());
        }
        services.added();
        return LocalAnswer.json(
                200,
                new Json.ObjectValue(Map.of(
                        "id", Json.of(requeued.id()),
                        "client_message_id", Json.of(requeued.key().value()),
                        "supersedes", Json.of(id))));
    }

    private static LocalProblem refusal(Requeue outcome) {
        return switch (outcome) {
            case Requeue.Requeued done -> throw new IllegalStateException("it was requeued");
            case Requeue.NotFound none -> new LocalProblem(ProblemCode.NOT_FOUND, "there is no such row");
            case Requeue.KeyUsed used ->
                new LocalProblem(
                                ProblemCode.IDEMPOTENCY_KEY_REUSED,
                                "the new key has a row that is " + used.state().word() + "; choose another, or none")
                        .with("client_message_id", used.key().value())
                        .with("conflict", "outbox_" + used.state().word() + "_new_id_used");
            case Requeue.WrongState wrong ->
                new LocalProblem(
                        ProblemCode.REQUEUE_REFUSED,
                        wrong.state() == OutboxState.INFLIGHT
                                ? "the row is being sent at this moment; try again"
                                : "the row is " + wrong.state().word()
                                        + "; only dead and pending rows can be requeued");
            case Requeue.MayHaveArrived may ->
                new LocalProblem(
                        ProblemCode.REQUEUE_REFUSED,
                        "the server may have this row; look there, then requeue with force: both may take effect");
            case Requeue.Damaged damaged ->
                new LocalProblem(
                        ProblemCode.REQUEUE_REFUSED,
                        "the content of the row is damaged; send it again under a new key");
            case Requeue.Full full -> isFull();
        };
    }

    private Map<String, Json> members(LocalRequest request, List<String> known) {
        if (request.body().length == 0) {
            return Map.of();
        }
        if (!(json(request) instanceof Json.ObjectValue object)) {
            throw new LocalProblem(ProblemCode.MALFORMED_REQUEST, "the body must be a JSON object");
        }
        for (String name : object.members().keySet()) {
            if (!known.contains(name)) {
                throw new LocalProblem(
                        ProblemCode.MALFORMED_REQUEST,
                        "there is no member '" + name + "'; known are " + String.join(", ", known));
            }
        }
        return object.members();
    }

    private LocalAnswer rotate(LocalRequest request) {
        requireMethod(request, "POST");
        request.allowParameters();
        Json grace = members(request, MEMBERS_OF_ROTATE).get("grace_seconds");
        if (grace == null) {
            return LocalAnswer.json(202, services.rotateKey(null));
        }
        if (!(grace instanceof Json.NumberValue seconds)
                || seconds.value() < 0
                || seconds.value() > LONGEST_GRACE
                || seconds.value() != Math.rint(seconds.value())) {
            throw new LocalProblem(
                    ProblemCode.MALFORMED_REQUEST, "'grace_seconds' must be a whole number from 0 to " + LONGEST_GRACE);
        }
        return LocalAnswer.json(202, services.rotateKey(Duration.ofSeconds((long) seconds.value())));
    }

    private LocalAnswer inbox(LocalRequest request) {
        requireMethod(request, "GET");
        request.allowParameters("after", "limit");
        return LocalAnswer.json(200, services.inbox(request.number("after", 0, 0, Long.MAX_VALUE), (int)
                request.number("limit", USUAL_PAGE, 1, LARGEST_PAGE)));
    }

    private LocalAnswer health(LocalRequest request) {
        requireMethod(request, "GET");
        request.allowParameters();
        LocalServices.Health health = services.health();
        return LocalAnswer.json(health.isHealthy() ? 200 : 503, health.details());
    }

    private LocalAnswer version(LocalRequest request) {
        requireMethod(request, "GET");
        request.allowParameters();
        return LocalAnswer.json(
                200,
                new Json.ObjectValue(Map.of("version", Json.of(services.version()), "api", Json.of(LocalAnswer.API))));
    }

    private LocalAnswer metrics(LocalRequest request) {
        requireMethod(request, "GET");
        request.allowParameters();
        return new LocalAnswer(200, "text/plain; version=0.0.4", services.metrics());
    }

    private static long after(LocalRequest request) {
        String last = request.header("last-event-id");
        if (last == null) {
            return request.number("after", 0, 0, Long.MAX_VALUE);
        }
        try {
            return Math.max(0, Long.parseLong(last));
        } catch (NumberFormatException e) {
            throw new LocalProblem(ProblemCode.MALFORMED_REQUEST, "Last-Event-ID must be a number");
        }
    }

    private Json json(LocalRequest request) {
        String type = request.header("content-type");
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new LocalProblem(ProblemCode.UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json");
        }
        if (request.body().length == 0) {
            throw new LocalProblem(ProblemCode.MALFORMED_JSON, "the body is missing");
        }
        try {
            return Json.parse(request.body(), new JsonLimits(Math.max(1, request.body().length), SendLimits.DEPTH));
        } catch (JsonRefused e) {
            throw new LocalProblem(ProblemCode.MALFORMED_JSON, String.valueOf(e.getMessage()));
        }
    }

    private static void requireMethod(LocalRequest request, String method) {
        if (!request.method().equals(method)) {
            throw new LocalProblem(ProblemCode.METHOD_NOT_ALLOWED, "send " + method);
        }
    }
}
