package dev.tallystick.keys;

import java.util.UUID;

/**
 * The right to settle a reserved key. It is lost when the key is settled or released, or when another owner takes it over;
 * writes of a late holder are then refused.
 *
 * @param id new with every reservation, even of the same key
 * @param fence grows with every owner of one reservation
 */
public record Reservation(ScopedKey key, UUID id, KeyOwner owner, long fence) {

    static final long FIRST_FENCE = 1;
}
