package dev.tallystick.ledger.tx;

/** The result of an append. Losing the race is an outcome, not an error. */
public sealed interface Append {

    /**
     * The transaction is on disk and reachable from {@code main}.
     *
     * @param head the hash of the transaction: the expected head of the next write to this stream
     * @param version its version in the stream
     * @param commit a commit that holds it
     */
    record Appended(TxHash head, int version, CommitId commit) implements Append {}

    /** Nothing was written, and this write never will be. The caller must build on {@code current}. */
    record HeadChanged(TxHash current) implements Append {}

    /** Nothing was written, and repeating will not help: the write itself is invalid. */
    record Invalid(String reason) implements Append {}

    /**
     * This attempt wrote nothing because of the ledger, not the write: the key is missing, the history does not verify, or
     * files cannot be read or written. Fix the cause, then repeat with the same transaction ID.
     */
    record Refused(String reason) implements Append {}

    /** It is unknown whether it was written. Repeat with the same transaction ID to find out. */
    record Unavailable(String reason) implements Append {}
}
