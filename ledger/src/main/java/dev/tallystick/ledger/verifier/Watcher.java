package dev.tallystick.ledger.verifier;

/** Receives the progress of a verification. Called often, by the thread that verifies. */
public interface Watcher {

    Watcher NONE = (stage, done, total) -> {};

    /** So many of so many; {@code stage} says of what. */
    void report(String stage, long done, long total);
}
