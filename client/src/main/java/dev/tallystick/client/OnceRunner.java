package dev.tallystick.client;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.ProblemCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reserves, runs, settles. Remembers verdicts that did not reach the server, and sends them first when the same key is asked
 * for again. If the process dies before that, the key stays held until it is settled by hand. Thread-safe.
 */
final class OnceRunner {

    /** Forgetting a doubt is safe: its key then waits to be settled by hand as well. */
    private static final int MOST_DOUBTS = 1_000;

    private record Asked(IdempotencyKey key, Fingerprint fingerprint) {}

    /** A state that the server may or may not know. */
    private sealed interface Doubt {

        /** The key was requested, and the handler did not begin. */
        record Unconfirmed(UUID reservation) implements Doubt {}

        /** The handler has finished. */
        record Unrecorded(Keys.Reservation reservation, Keys.Verdict verdict) implements Doubt {}
    }

    private final Keys keys;
    private final Map<Asked, Doubt> doubts = new LinkedHashMap<>();

    OnceRunner(Keys keys) {
        this.keys = keys;
    }

    <X extends Exception> Once once(IdempotencyKey key, Fingerprint fingerprint, Keys.Handler<X> handler) throws X {
        Asked asked = new Asked(key, fingerprint);
        Doubt doubt = take(asked);
        if (doubt instanceof Doubt.Unrecorded unrecorded) {
            Once once = record(asked, unrecorded);
            return once instanceof Once.Ran ran ? new Once.Replayed(ran.answer()) : once;
        }
        return switch (reserve(asked, doubt instanceof Doubt.Unconfirmed before ? before : unconfirmed())) {
            case Keys.Reserve.Reserved reserved ->
                record(asked, new Doubt.Unrecorded(reserved.reservation(), handler.handle()));
            case Keys.Reserve.Replayed replayed -> new Once.Replayed(replayed.answer());
            case Keys.Reserve.InProgress other -> new Once.InProgress(other.reservation());
            case Keys.Reserve.Unresolved unknown -> new Once.Unresolved(unknown.reservation());
        };
    }

    private Doubt.Unconfirmed unconfirmed() {
        return new Doubt.Unconfirmed(keys.newReservation());
    }

    private Keys.Reserve reserve(Asked asked, Doubt.Unconfirmed claim) {
        try {
            return keys.reserve(asked.key(), asked.fingerprint(), claim.reservation());
        } catch (TallyException e) {
            // Even a refusal: it proves nothing about an earlier claim.
            remember(asked, claim);
            throw e;
        }
    }

    /** The handler has run: if its verdict cannot be recorded, the outcome is unknown, not "nothing happened". */
    private Once record(Asked asked, Doubt.Unrecorded said) {
        try {
            keys.settle(said.reservation(), said.verdict());
        } catch (TallyException e) {
            if (isOverruled(e)) {
                return new Once.Overruled();
            }
            remember(asked, said);
            throw new OutcomeUnknownException(
                    "the handler ran under the key " + asked.key()
                            + ", and it is unknown whether that is recorded: " + failure(e)
                            + "; ask again under the same key",
                    failure(e),
                    e);
        }
        return switch (said.verdict()) {
            case Keys.Verdict.Commit commit -> new Once.Ran(new Keys.Answer(commit.response(), false));
            case Keys.Verdict.Reject reject -> new Once.Ran(new Keys.Answer(reject.response(), true));
            case Keys.Verdict.Release release -> new Once.Released();
        };
    }

    private static AttemptFailure failure(TallyException e) {
        return switch (e) {
            case RefusedException refused -> refused.failure();
            case OutcomeUnknownException unknown -> unknown.failure();
            case UnavailableException unavailable -> unavailable.failure();
        };
    }

    /** Even after a lost answer: the server accepts the same verdict again. */
    private static boolean isOverruled(TallyException e) {
        Throwable refusal = e instanceof OutcomeUnknownException ? e.getCause() : e;
        return refusal instanceof RefusedException refused && refused.is(ProblemCode.RESERVATION_LOST);
    }

    private synchronized void remember(Asked asked, Doubt doubt) {
        doubts.put(asked, doubt);
        if (doubts.size() > MOST_DOUBTS) {
            doubts.remove(doubts.keySet().iterator().next());
        }
    }

    private synchronized @Nullable Doubt take(Asked asked) {
        return doubts.remove(asked);
    }
}
