package dev.tallystick.ledger;

import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.verifier.Finding;
import java.util.List;

/** The outcome of moving an anchor to the ledger's head. */
public sealed interface Anchoring {

    /** Everything between the anchor and the head verifies, and the anchor is now {@code head}. */
    record Moved(Anchored head) implements Anchoring {}

    /** The anchor did not move: the head is not a verified continuation of it. */
    record Refused(List<Finding> findings) implements Anchoring {}
}
