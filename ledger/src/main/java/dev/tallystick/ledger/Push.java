package dev.tallystick.ledger;

/** What came of handing this copy's commits to another one. Its commits are never overwritten. */
public sealed interface Push {

    /** The other copy's {@code main} is now ours. */
    record Pushed(CommitId head) implements Push {}

    /** It had everything. */
    record UpToDate(CommitId head) implements Push {}

    /** Nothing was changed there: it has commits that this copy lacks. Fetch, merge if need be, and push again. */
    record FetchFirst() implements Push {}

    /** Nothing was changed there: the other side does not take it. */
    record Refused(String reason) implements Push {}
}
