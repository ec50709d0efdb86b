package dev.tallystick.server.routes;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Charges members for everything that is created other than by submission: reruns, signals, schedules, reservations, webhooks,
 * devices. The budget is that of their submissions, so that no other route bypasses it; here too a repeat costs nothing.
 * Thread-safe.
 */
public final class BudgetGuard {

    private final Broker broker;

    public BudgetGuard(Broker broker) {
        this.broker = broker;
    }

    /** For work whose key is bound like that of a submission. */
    Answer spend(Call call, Fingerprint request, Supplier<Answer> work) {
        ScopedKey key = new ScopedKey(call.member().scope(), call.key());
        return spend(call, broker.find(key).isPresent(), key.key(), request, work);
    }

    /**
     * Does the work if the caller's budget allows.
     *
     * @param repeated whether this was done before, or is settled otherwise, so that nothing is created
     */
    Answer spend(Call call, boolean repeated, IdempotencyKey key, Fingerprint request, Supplier<Answer> work) {
        if (repeated) {
            return work.get();
        }
        if (broker.spend(call.member(), key, request, call.body().length) instanceof Limiter.Decision.Over over) {
            throw overLimit(over.retryAfter());
        }
        try {
            return work.get();
        } catch (Problem refused) {
            broker.countWasted();
            throw refused;
        }
    }

    static Problem overLimit(Duration retryAfter) {
        return new Problem(ProblemCode.OVER_LIMIT, "wait for the next window, and send the same request again")
                .retryAfter(retryAfter);
    }
}
