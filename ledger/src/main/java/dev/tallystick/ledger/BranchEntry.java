package dev.tallystick.ledger;

/**
 * A transaction of a document or of a history that was merged into it.
 *
 * @param branch empty for the document's own; otherwise the version of the MERGE that joined it, such as {@code 7}, or each
 *     MERGE on the way to it, such as {@code 7/3}
 */
public record BranchEntry(String branch, LogEntry entry) {}
