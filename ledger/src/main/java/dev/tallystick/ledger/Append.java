package dev.tallystick.ledger;

/** What came of an attempt to append. Losing the race is an outcome, not an error. */
public sealed interface Append {

    /**
     * The transaction is on disk and reachable from {@code main}.
     *
     * @param head the hash of the transaction: the expected head of the next write to this stream
     * @param version its place in the stream
     * @param commit a commit that holds it
     */
    record Appended(TxHash head, int version, CommitId commit) implements Append {}

    /** Nothing was written, and this write never will be. {@code current} is what the caller must build upon. */
    record HeadChanged(TxHash current) implements Append {}

    /** Nothing was written, and repeating will not help: the write itself is wrong. */
    record Invalid(String reason) implements Append {}

    /**
     * This attempt wrote nothing, for a reason that lies in the ledger and not in the write: its key is not here, its history
     * does not verify, or its files cannot be read or written. Remove the reason, then repeat with the same transaction id.
     */
    record Refused(String reason) implements Append {}

    /** Whether it was written is not known. Repeat with the same transaction id: the answer will tell. */
    record Unavailable(String reason) implements Append {}
}
