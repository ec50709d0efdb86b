package dev.tallystick.ledger.verifier;

/**
 * Something that is not as it should be.
 *
 * @param where the stream (by name, or by path if none of its transactions can be read), file or commit it was found in
 * @param transaction the transaction's id, its version if the id cannot be read, or empty if there is none
 */
public record Finding(Kind kind, String where, String transaction, String detail) {

    /** What sort of trouble it is, and so whom to call. */
    public enum Kind {
        /** The repository shows something else than its files: alternates, grafts, replace refs, other formats. */
        REPOSITORY,
        /** HEAD or a ref is not what it must be. */
        REF,
        /** An object or the file that holds it is damaged or missing. */
        OBJECT,
        /** A commit's root or signature is wrong. */
        SIGNATURE,
        /** The ledger is behind its anchor, or went another way. */
        ANCHOR,
        /** A stream is not what its transactions say, or a transaction is not where it belongs. */
        STREAM,
        /** Something changed that may only be added to. */
        HISTORY
    }

    @Override
    public String toString() {
        return kind + " " + where + (transaction.isEmpty() ? "" : " [" + transaction + "]") + ": " + detail;
    }
}
