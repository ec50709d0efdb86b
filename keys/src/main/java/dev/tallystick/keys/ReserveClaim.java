package dev.tallystick.keys;

import dev.tallystick.core.Fingerprint;
import java.util.UUID;

/**
 * A request to reserve a key before foreign work begins.
 *
 * @param id of the reservation. New for every claim, but kept when the claim is repeated after a lost reply, so that the claim
 *     recognises its own row
 * @param transactional promises that the work's effect and the key's answer will share one transaction
 */
public record ReserveClaim(ScopedKey key, Fingerprint fingerprint, UUID id, KeyOwner owner, boolean transactional) {}
