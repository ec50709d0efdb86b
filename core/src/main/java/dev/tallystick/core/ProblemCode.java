package dev.tallystick.core;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Every way in which a server refuses a request: the {@code code} of its problem documents. The names are part of the public
 * surface; {@code docs/errors.md} lists them. A client that gets a permanent code gives up, and after any other one sends the
 * same request again under the same key.
 */
public enum ProblemCode {
    MALFORMED_REQUEST(400, Lasting.PERMANENT, "The request cannot be understood."),
    MALFORMED_JSON(400, Lasting.PERMANENT, "The body is not JSON that is accepted here."),
    UNKNOWN_PARAMETER(400, Lasting.PERMANENT, "The query has a parameter that this route does not know."),
    IDEMPOTENCY_KEY_MISSING(400, Lasting.PERMANENT, "What creates something needs an Idempotency-Key."),
    IDEMPOTENCY_KEY_REFUSED(400, Lasting.PERMANENT, "The Idempotency-Key is not one, or there are two that differ."),
    MENTIONS_REFUSED(400, Lasting.PERMANENT, "The mentions cannot be members, or are too many."),
    OPTIONS_REFUSED(400, Lasting.PERMANENT, "The options do not fit the destination."),
    GRAPH_REFUSED(400, Lasting.PERMANENT, "The graph cannot be run."),
    UNAUTHENTICATED(401, Lasting.TRANSIENT, "A valid token is needed."),
    FORBIDDEN(403, Lasting.TRANSIENT, "The token's member lacks the role that this needs."),
    NOT_FOUND(404, Lasting.PERMANENT, "There is nothing here."),
    METHOD_NOT_ALLOWED(405, Lasting.PERMANENT, "The path is right, the method is not."),
    UNKNOWN_WORKFLOW(404, Lasting.PERMANENT, "There is no such workflow, or not in this version."),
    UNKNOWN_TOPIC(404, Lasting.PERMANENT, "There is no such topic."),
    UNKNOWN_QUEUE(404, Lasting.PERMANENT, "There is no such queue."),
    UNKNOWN_MEMBER(404, Lasting.PERMANENT, "There is no such member."),
    REQUEST_TIMEOUT(408, Lasting.TRANSIENT, "The request did not arrive in time."),
    IDEMPOTENCY_KEY_REUSED(409, Lasting.PERMANENT, "The key stands for another request."),
    REQUEST_IN_PROGRESS(409, Lasting.TRANSIENT, "The same request is on its way already."),
    OUTCOME_UNRESOLVED(409, Lasting.TRANSIENT, "Nobody knows yet what came of the request that this key stands for."),
    RESERVATION_LOST(409, Lasting.PERMANENT, "The reservation has been settled otherwise, or is gone."),
    JOB_CLOSED(409, Lasting.PERMANENT, "The job has closed."),
    JOB_OPEN(409, Lasting.TRANSIENT, "The job has not ended yet."),
    RERUN_REFUSED(409, Lasting.PERMANENT, "The job cannot be done again in this way."),
    TASK_HELD(409, Lasting.TRANSIENT, "Somebody else has the task."),
    TASK_OVER(409, Lasting.PERMANENT, "The task is no longer open."),
    VERSION_TAKEN(409, Lasting.PERMANENT, "This version is there already, and says something else."),
    DEVICE_TAKEN(409, Lasting.PERMANENT, "The name or the key of the device stands for another one."),
    TOO_MANY_WEBHOOKS(409, Lasting.PERMANENT, "The member has as many webhooks as it may have."),
    TOO_MANY(409, Lasting.PERMANENT, "There are as many of these as there may be."),
    LEASE_LOST(409, Lasting.PERMANENT, "Somebody else holds the lease."),
    RESULT_DIFFERS(409, Lasting.PERMANENT, "This attempt has brought another result before, and that one stands."),
    PAYLOAD_TOO_LARGE(413, Lasting.PERMANENT, "The body, or a part of it, is larger than the limit."),
    UNSUPPORTED_MEDIA_TYPE(415, Lasting.PERMANENT, "The body is taken as plain JSON in UTF-8 only."),
    OVER_LIMIT(
            429, Lasting.TRANSIENT, "The member or its mesh has used up what it may ask for at once, or its budget."),
    HEADERS_TOO_LARGE(431, Lasting.PERMANENT, "The headers are larger than the limit."),
    INTERNAL_ERROR(500, Lasting.TRANSIENT, "A fault of ours; what came of the request is unknown."),
    OUTCOME_UNKNOWN(503, Lasting.TRANSIENT, "It may have happened or not: repeat it under the same key."),
    BUSY(503, Lasting.TRANSIENT, "Too much is under way; nothing was done."),
    DATABASE_UNAVAILABLE(503, Lasting.TRANSIENT, "The database cannot be reached; nothing was done."),
    DATABASE_FULL(503, Lasting.TRANSIENT, "The database has no disk space left; nothing was done."),
    STOPPING(503, Lasting.TRANSIENT, "The server is stopping; nothing was done."),
    HTTP_VERSION_NOT_SUPPORTED(505, Lasting.TRANSIENT, "Only HTTP/1.1 is spoken here; nothing was done.");

    /** Whether the same request, sent again, may fare better. */
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

    /** As it is written in problem documents. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Empty for a code that a newer server may have, or that is not one of ours. */
    public static Optional<ProblemCode> parse(String word) {
        return Arrays.stream(values()).filter(code -> code.word().equals(word)).findFirst();
    }
}
