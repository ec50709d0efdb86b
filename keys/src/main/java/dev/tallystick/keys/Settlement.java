package dev.tallystick.keys;

/** A verdict on its way into the ledger, with the right to put it there. */
public record Settlement(Reservation reservation, Verdict verdict) {

    ScopedKey key() {
        return reservation.key();
    }
}
