package dev.tallystick.ledger.tx;

import dev.tallystick.ledger.git.DamagedObjectException;

/** What a transaction does to its document, with its number in TxV3. */
public enum Op {
    /** The document is now the snapshot. */
    PUT(1),
    /** The patch was applied; every so often the transaction also has the result, as a snapshot. */
    PATCH(2),
    /** The document is deleted. Its history stays. */
    DELETE(3),
    /** Two histories of the document were merged; the snapshot is the result, absent if the document is deleted. */
    MERGE(4);

    private final int number;

    Op(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static Op number(long number) throws DamagedObjectException {
        for (Op op : values()) {
            if (op.number == number) {
                return op;
            }
        }
        throw new DamagedObjectException("a transaction has an unknown op: " + number);
    }
}
