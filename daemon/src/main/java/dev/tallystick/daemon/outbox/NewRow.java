package dev.tallystick.daemon.outbox;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;

/** A valid send that is not in the outbox yet. */
public record NewRow(IdempotencyKey key, Fingerprint fingerprint, Destination to, OutboxRow.Content content) {

    NewRow under(IdempotencyKey other) {
        return new NewRow(other, fingerprint, to, content);
    }
}
