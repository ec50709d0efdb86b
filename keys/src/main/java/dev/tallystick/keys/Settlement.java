package dev.tallystick.keys;

/** A verdict to be recorded, with the right to record it. */
public record Settlement(Reservation reservation, Verdict verdict) {

    ScopedKey key() {
        return reservation.key();
    }
}
