package dev.tallystick.ledger.tx;

/**
 * A transaction of a document or of a history merged into it.
 *
 * @param branch empty for the document's own history; otherwise the version of the MERGE, such as {@code 7}, or of all MERGEs
 *     that lead to it, such as {@code 7/3}
 */
public record BranchEntry(String branch, LogEntry entry) {}
