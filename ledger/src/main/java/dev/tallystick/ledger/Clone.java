package dev.tallystick.ledger;

import dev.tallystick.ledger.verifier.Finding;
import java.util.List;

/** What came of cloning a ledger. */
public sealed interface Clone {

    /** The copy is on disk and was verified from the first commit on. */
    record Cloned(Ledger ledger) implements Clone {}

    /** What came does not verify; the directory holds it for inspection and is not a ledger. */
    record Unsound(List<Finding> findings) implements Clone {}
}
