package dev.tallystick.ledger.verifier;

/** Is told how far a verification has come. Called often, by the thread that verifies. */
public interface Watcher {

    Watcher NOBODY = (stage, done, total) -> {};

    /** So many of so many; {@code stage} says of what. */
    void report(String stage, long done, long total);
}
