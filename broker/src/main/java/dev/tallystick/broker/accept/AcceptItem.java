package dev.tallystick.broker.accept;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Envelope;
import dev.tallystick.keys.AcceptClaim;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.keys.StoredResponse;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A submission on its way into the accepting transaction. Its IDs stay the same however often that is retried.
 *
 * @param plan the plan of its workflow; null if it goes to no workflow
 */
public record AcceptItem(UUID id, UUID history, Member member, Submission submission, AcceptHook.@Nullable Plan plan) {

    ScopedKey key() {
        return new ScopedKey(member.scope(), submission.key());
    }

    Envelope envelope() {
        return submission.envelope();
    }

    AcceptClaim claim() {
        StoredResponse answer = plan instanceof AcceptHook.Plan.Ready ready ? ready.answer() : null;
        return new AcceptClaim(key(), submission.fingerprint(), envelope().to(), id, answer, history);
    }
}
