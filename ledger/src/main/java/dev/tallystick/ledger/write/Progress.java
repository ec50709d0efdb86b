package dev.tallystick.ledger.write;

/** Receives the progress of long work. Called often, on the thread that does the work. */
public interface Progress {

    Progress UNSEEN = (stage, done, total) -> {};

    /** {@code done} of {@code total} items of {@code stage}. */
    void report(String stage, long done, long total);
}
