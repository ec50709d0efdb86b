package dev.tallystick.ledger;

/** What came of fetching another copy's commits. No local commit is ever lost: {@code main} moves on or stays. */
public sealed interface Fetch {

    /** Both copies are the same, or this one has more. */
    record UpToDate(CommitId head) implements Fetch {}

    /** The other copy had more: {@code main} is now what its was. */
    record Forwarded(CommitId head) implements Fetch {}

    /** Each has commits that the other one lacks. {@code main} is where it was; {@link Ledger#merge} joins them. */
    record Diverged(CommitId ours, CommitId theirs) implements Fetch {}

    /** What came is not a sound continuation of this ledger. {@code main} is where it was. */
    record Refused(String reason) implements Fetch {}
}
