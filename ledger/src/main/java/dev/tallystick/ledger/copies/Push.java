package dev.tallystick.ledger.copies;

import dev.tallystick.ledger.tx.CommitId;

/** The result of pushing this copy's commits to another one. Its commits are never overwritten. */
public sealed interface Push {

    /** The other copy's {@code main} is now ours. */
    record Pushed(CommitId head) implements Push {}

    /** The other copy already had everything. */
    record UpToDate(CommitId head) implements Push {}

    /** Nothing changed there: it has commits that this copy lacks. Fetch, merge if needed, and push again. */
    record FetchFirst() implements Push {}

    /** Nothing changed there: the other side refused. */
    record Refused(String reason) implements Push {}
}
