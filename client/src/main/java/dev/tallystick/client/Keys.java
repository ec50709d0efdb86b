package dev.tallystick.client;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The reserve door: something of one's own that is done once under a key. {@link #once} does all of it; the other
 * calls are for those who settle by hand what somebody has left behind. No time-out ever frees a key. Thread-safe.
 */
public final class Keys {

    private static final String PATH = "/v1/keys";

    private final Exchange exchange;
    private final Ids ids = new Ids(Clock.systemUTC(), new SecureRandom());
    private final OnceRunner runner = new OnceRunner(this);

    Keys(Exchange exchange) {
        this.exchange = exchange;
    }

    /**
     * Who holds a key.
     *
     * @param id of the caller's making, so that it can ask again after a lost reply
     */
    public record Reservation(IdempotencyKey key, UUID id, long fence) {}

    /**
     * What a key stands for, once and for all.
     *
     * @param rejected whether it was refused rather than done
     */
    public record Answer(Json response, boolean rejected) {}

    /** What came of asking for a key. */
    public sealed interface Reserve {

        /** The caller holds the key, and may begin. */
        record Reserved(Reservation reservation) implements Reserve {}

        /** It was done before. */
        record Replayed(Answer answer) implements Reserve {}

        /** The same request holds the key, here or elsewhere, or died with it. Who knows that may settle it. */
        record InProgress(Reservation reservation) implements Reserve {}

        /** Nobody knows whether it was done. Whoever finds out may settle it. */
        record Unresolved(Reservation reservation) implements Reserve {}
    }

    /** What a handler says of what it did. */
    public sealed interface Verdict {

        /** It is done; every repeat is answered with this. */
        record Commit(Json response) implements Verdict {}

        /** It is refused, and would be again; every repeat is answered with this. */
        record Reject(Json response) implements Verdict {}

        /** Nothing happened, for certain: the key is free again. */
        record Release() implements Verdict {}

        static Verdict commit(Json response) {
            return new Commit(response);
        }

        static Verdict reject(Json response) {
            return new Reject(response);
        }

        static Verdict release() {
            return new Release();
        }
    }

    /**
     * What is done once.
     *
     * @param <X> what it may throw; {@link RuntimeException} if nothing checked
     */
    @FunctionalInterface
    public interface Handler<X extends Exception> {

        /** Does it. An exception says that nobody knows whether it was done: the key is held until it is settled. */
        Verdict handle() throws X;
    }

    /**
     * Runs the handler, unless it ran before under this key.
     *
     * @param fingerprint what the key stands for, such as {@code Fingerprint.of("charge", request.canonical())}
     * @throws X if the handler does
     * @throws OutcomeUnknownException if it is not known whether the verdict is recorded, or whether the key is held.
     *     The same call again in this process says the same once more, and does not run a handler that ran
     * @throws RefusedException if the key stands for something else; the handler did not run
     * @throws UnavailableException if the handler did not run
     */
    public <X extends Exception> Once once(IdempotencyKey key, Fingerprint fingerprint, Handler<X> handler) throws X {
        return runner.once(key, fingerprint, handler);
    }

    /** Asks for a key. Waits a while for whoever holds it, within the client's patience, if the server is set so. */
    public Reserve reserve(IdempotencyKey key, Fingerprint fingerprint) {
        return reserve(key, fingerprint, newReservation());
    }

    /** As {@link #reserve(IdempotencyKey, Fingerprint)}, by an own id: the same again finds what it holds. */
    public Reserve reserve(IdempotencyKey key, Fingerprint fingerprint, UUID reservation) {
        Body body = new Body()
                .with("fingerprint", fingerprint.hex())
                .with("reservation_id", reservation.toString())
                .with("wait_seconds", exchange.longestUnaskedWait().toSeconds());
        try {
            return exchange.ask(Request.post(path(key, "reserve"), body.json()), state -> reserved(key, state));
        } catch (RefusedException e) {
            if (e.is(ProblemCode.REQUEST_IN_PROGRESS)) {
                return new Reserve.InProgress(e.read(state -> held(key, state)));
            }
            if (e.is(ProblemCode.OUTCOME_UNRESOLVED)) {
                return new Reserve.Unresolved(e.read(state -> held(key, state)));
            }
            throw e;
        }
    }

    /** It is done. */
    public void commit(Reservation reservation, Json response) {
        settle(reservation, Verdict.commit(response));
    }

    /** It is refused, and would be again. */
    public void reject(Reservation reservation, Json response) {
        settle(reservation, Verdict.reject(response));
    }

    /** Nothing happened, for certain. */
    public void release(Reservation reservation) {
        settle(reservation, Verdict.release());
    }

    /**
     * A key as somebody has reserved it.
     *
     * @param member under whose name the key is known
     * @param status {@code pending} or {@code outcome_unknown} until it is settled
     * @param holder who may settle it, or who has
     */
    public record Held(
            Reservation reservation, String member, String status, String fingerprint, String holder, Instant since) {

        static Held of(Fields fields) {
            return new Held(
                    held(new IdempotencyKey(fields.text("key")), fields),
                    fields.text("member"),
                    fields.text("status"),
                    fields.text("fingerprint"),
                    fields.text("holder"),
                    fields.text("since", Instant::parse));
        }

        /** Whether nobody has said yet what came of it. */
        public boolean isOpen() {
            return status.equals("pending") || status.equals("outcome_unknown");
        }
    }

    /** What is reserved and not settled in the mesh, the oldest first, {@code limit} at most. For admins and observers. */
    public List<Held> open(int limit) {
        return exchange.ask(new Query(PATH).with("limit", limit).read(), answer -> answer.list("keys", Held::of));
    }

    /** Who has reserved a key: the member itself; for admins and observers, any member. Empty if nobody has. */
    public List<Held> find(IdempotencyKey key) {
        try {
            return exchange.ask(Request.get(path(key)), answer -> answer.list("keys", Held::of));
        } catch (RefusedException e) {
            if (e.is(ProblemCode.NOT_FOUND)) {
                return List.of();
            }
            throw e;
        }
    }

    /** Says what came of it in place of its holder, as an admin who has found out. What the holder says later is refused. */
    public void resolve(Held held, Verdict verdict) {
        resolve(held.member(), held.reservation(), verdict);
    }

    /** As {@link #resolve(Held, Verdict)}, for whoever knows no more of it. */
    public void resolve(String member, Reservation reservation, Verdict verdict) {
        Body body = settlement(reservation, verdict).with("member", member).with("outcome", outcome(verdict));
        settle(Request.post(path(reservation.key(), "resolve"), body.json()), reservation, verdict);
    }

    UUID newReservation() {
        return ids.next();
    }

    void settle(Reservation reservation, Verdict verdict) {
        String verb = switch (verdict) {
            case Verdict.Commit commit -> "commit";
            case Verdict.Reject reject -> "reject";
            case Verdict.Release release -> "release";
        };
        Json body = settlement(reservation, verdict).json();
        settle(Request.post(path(reservation.key(), verb), body), reservation, verdict);
    }

    private void settle(Request request, Reservation reservation, Verdict verdict) {
        exchange.ask(
                request, state -> state.about("key", reservation.key().value()).about("status", outcome(verdict)));
    }

    private static String outcome(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Commit commit -> "committed";
            case Verdict.Reject reject -> "rejected";
            case Verdict.Release release -> "released";
        };
    }

    private static Body settlement(Reservation reservation, Verdict verdict) {
        Body body =
                new Body().with("reservation_id", reservation.id().toString()).with("fence", reservation.fence());
        return switch (verdict) {
            case Verdict.Commit commit -> body.with("response", commit.response());
            case Verdict.Reject reject -> body.with("response", reject.response());
            case Verdict.Release release -> body;
        };
    }

    private static Reserve reserved(IdempotencyKey key, Fields state) {
        String status = state.about("key", key.value()).text("status");
        return switch (status) {
            case "reserved" -> new Reserve.Reserved(held(key, state));
            case "committed" -> new Reserve.Replayed(new Answer(state.json("response"), false));
            case "rejected" -> new Reserve.Replayed(new Answer(state.json("response"), true));
            default -> throw new ForeignAnswer("its status is '" + status + "'");
        };
    }

    private static Reservation held(IdempotencyKey key, Fields state) {
        return new Reservation(key, state.text("reservation_id", UUID::fromString), state.number("fence"));
    }

    private static String path(IdempotencyKey key) {
        return PATH + "/" + TallyClient.encode(key.value());
    }

    private static String path(IdempotencyKey key, String verb) {
        return path(key) + "/" + verb;
    }
}
