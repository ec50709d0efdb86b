package dev.tallystick.ledger;

import dev.tallystick.ledger.verifier.Finding;
import java.util.List;

/** The result of cloning a ledger. */
public sealed interface Clone {

    /** The copy is on disk and verified from the first commit on. */
    record Cloned(Ledger ledger) implements Clone {}

    /** The received history does not verify; the directory keeps it for inspection and is not a ledger. */
    record Unsound(List<Finding> findings) implements Clone {}
}
