package dev.tallystick.server;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.Limiter;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.keys.ScopedKey;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * What members spend on what is created otherwise than by submitting: reruns, signals, schedules, reservations, webhooks,
 * devices. It is the budget of their submissions, so that nobody gets past it by another door; and here as there a repeat
 * costs nothing. Thread-safe.
 */
final class Spending {

    private final Broker broker;

    Spending(Broker broker) {
        this.broker = broker;
    }

    /** For work whose key is bound as that of a submission is. */
    Answer spend(Call call, Fingerprint request, Supplier<Answer> work) {
        ScopedKey key = new ScopedKey(call.member().scope(), call.key());
        return spend(call, broker.find(key).isPresent(), key.key(), request, work);
    }

    /**
     * Has the work done if the caller may still ask for something.
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
            broker.spentInVain();
            throw refused;
        }
    }

    static Problem overLimit(Duration retryAfter) {
        return new Problem(ProblemCode.OVER_LIMIT, "wait for the next window, and send the same request again")
                .retryAfter(retryAfter);
    }
}
