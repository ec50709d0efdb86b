package dev.tallystick.ledger.copies;

import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.tx.CommitId;

/** The result of a fetch. No local commit is ever lost: {@code main} moves forward or stays. */
public sealed interface Fetch {

    /** Both copies are equal, or this one has more. */
    record UpToDate(CommitId head) implements Fetch {}

    /** The other copy had more: {@code main} is now what its {@code main} was. */
    record Forwarded(CommitId head) implements Fetch {}

    /** Each copy has commits that the other lacks. {@code main} did not move; {@link Ledger#merge} merges them. */
    record Diverged(CommitId ours, CommitId theirs) implements Fetch {}

    /** The received commits are not a sound continuation of this ledger. {@code main} did not move. */
    record Refused(String reason) implements Fetch {}
}
