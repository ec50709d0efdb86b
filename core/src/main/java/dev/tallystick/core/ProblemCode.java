package dev.tallystick.core;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Every reason for which a server or a daemon refuses a request: the {@code code} of its problem documents. The names are part of the
 * public API; {@code docs/errors.md} lists them. After a permanent code a client gives up; after any other code it sends the
 * same request again under the same key.
 */
public enum ProblemCode {
    MALFORMED_REQUEST(400, Lasting.PERMANENT, "The request is malformed."),
    MALFORMED_JSON(400, Lasting.PERMANENT, "The body is not valid JSON."),
    UNKNOWN_PARAMETER(400, Lasting.PERMANENT, "The query has an unknown parameter."),
    IDEMPOTENCY_KEY_MISSING(400, Lasting.PERMANENT, "This request needs an Idempotency-Key."),
    IDEMPOTENCY_KEY_REFUSED(400, Lasting.PERMANENT, "The Idempotency-Key is invalid, or there are two different ones."),
    MENTIONS_REFUSED(400, Lasting.PERMANENT, "The mentions are not valid member names, or there are too many."),
    OPTIONS_REFUSED(400, Lasting.PERMANENT, "The options do not fit the destination."),
    GRAPH_REFUSED(400, Lasting.PERMANENT, "The graph is invalid."),
    UNAUTHENTICATED(401, Lasting.TRANSIENT, "A valid token is required."),
    FORBIDDEN(403, Lasting.TRANSIENT, "The token's member lacks the required role."),
    NOT_FOUND(404, Lasting.PERMANENT, "Not found."),
    METHOD_NOT_ALLOWED(405, Lasting.PERMANENT, "The method is not allowed for this path."),
    UNKNOWN_WORKFLOW(404, Lasting.PERMANENT, "The workflow or this version of it does not exist."),
    UNKNOWN_TOPIC(404, Lasting.PERMANENT, "The topic does not exist."),
    UNKNOWN_QUEUE(404, Lasting.PERMANENT, "The queue does not exist."),
    UNKNOWN_MEMBER(404, Lasting.PERMANENT, "The member does not exist."),
    REQUEST_TIMEOUT(408, Lasting.TRANSIENT, "The request did not arrive in time."),
    IDEMPOTENCY_KEY_REUSED(409, Lasting.PERMANENT, "The key belongs to a different request."),
    REQUEST_IN_PROGRESS(409, Lasting.TRANSIENT, "The same request is already in progress."),
    OUTCOME_UNRESOLVED(409, Lasting.TRANSIENT, "The outcome of the original request with this key is still unknown."),
    RESERVATION_LOST(409, Lasting.PERMANENT, "The reservation has been settled differently, or is gone."),
    JOB_CLOSED(409, Lasting.PERMANENT, "The job has closed."),
    JOB_OPEN(409, Lasting.TRANSIENT, "The job has not ended yet."),
    NOT_SEALED(409, Lasting.TRANSIENT, "The job is not in the sealed log yet."),
    SEALING_OFF(409, Lasting.PERMANENT, "No server of this installation seals jobs."),
    RERUN_REFUSED(409, Lasting.PERMANENT, "The job cannot be rerun in this way."),
    TASK_HELD(409, Lasting.TRANSIENT, "Another member has claimed the task."),
    TASK_OVER(409, Lasting.PERMANENT, "The task is no longer open."),
    VERSION_TAKEN(409, Lasting.PERMANENT, "This version already exists with different content."),
    DEVICE_TAKEN(409, Lasting.PERMANENT, "The name or the key of the device belongs to another device."),
    DEVICE_CLONED(409, Lasting.PERMANENT, "The device was registered on another host."),
    TOO_MANY_WEBHOOKS(409, Lasting.PERMANENT, "The member has reached its limit of webhooks."),
    TOO_MANY(409, Lasting.PERMANENT, "The limit for these has been reached."),
    REQUEUE_REFUSED(409, Lasting.PERMANENT, "The row of the outbox cannot be requeued in this way."),
    LEASE_LOST(409, Lasting.PERMANENT, "The lease has been lost."),
    RESULT_DIFFERS(409, Lasting.PERMANENT, "This attempt has already returned a different result, which stands."),
    PAYLOAD_TOO_LARGE(413, Lasting.PERMANENT, "The body, or a part of it, exceeds the size limit."),
    UNSUPPORTED_MEDIA_TYPE(415, Lasting.PERMANENT, "The body must be plain JSON in UTF-8."),
    OVER_LIMIT(429, Lasting.TRANSIENT, "The member or its mesh has exceeded its request limit or its budget."),
    DAEMON_BUSY(429, Lasting.TRANSIENT, "The daemon is too busy; nothing was kept."),
    HEADERS_TOO_LARGE(431, Lasting.PERMANENT, "The headers exceed the size limit."),
    INTERNAL_ERROR(500, Lasting.TRANSIENT, "Internal error; the outcome of the request is unknown."),
    OUTCOME_UNKNOWN(503, Lasting.TRANSIENT, "The outcome is unknown; repeat the request under the same key."),
    BUSY(503, Lasting.TRANSIENT, "The server is too busy; nothing was done."),
    PARTNER_UNAVAILABLE(503, Lasting.TRANSIENT, "The partner's server did not answer as one; nothing was done."),
    DATABASE_UNAVAILABLE(503, Lasting.TRANSIENT, "The database is unreachable; nothing was done."),
    DATABASE_FULL(503, Lasting.TRANSIENT, "The database is out of disk space; nothing was done."),
    STOPPING(503, Lasting.TRANSIENT, "The server is shutting down; nothing was done."),
    OUTBOX_UNAVAILABLE(503, Lasting.TRANSIENT, "The daemon cannot write its outbox; nothing was kept."),
    HTTP_VERSION_NOT_SUPPORTED(505, Lasting.TRANSIENT, "Only HTTP/1.1 is supported; nothing was done."),
    OUTBOX_FULL(507, Lasting.TRANSIENT, "The outbox or its disk is full; nothing was kept.");

    /** Whether a retry of the same request may succeed. */
    public enum Lasting {
        PERMANENT,
        TRANSIENT;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final int status;
    private final Lasting lasting;
    private final String title;

    ProblemCode(int status, Lasting lasting, String title) {
        this.status = status;
        this.lasting = lasting;
        this.title = title;
    }

    public int status() {
        return status;
    }

    public Lasting lasting() {
        return lasting;
    }

    /** The same sentence for every problem of this code. */
    public String title() {
        return title;
    }

    /** The code as written in problem documents. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Empty for an unknown code, for example from a newer server. */
    public static Optional<ProblemCode> parse(String word) {
        return Arrays.stream(values()).filter(code -> code.word().equals(word)).findFirst();
    }
}
