package dev.tallystick.ledger.verifier;

import java.util.List;

/**
 * What a verification saw.
 *
 * @param findings empty if all is well; at most {@link #MOST_FINDINGS}
 * @param position of the newest root, -1 if none was found
 * @param root the newest root, or empty
 */
public record Report(
        List<Finding> findings,
        long commits,
        long streams,
        long transactions,
        long objects,
        long position,
        String root) {

    /** A ledger that is damaged all over need not be described in full. */
    public static final int MOST_FINDINGS = 1_000;

    Report with(List<Finding> allFindings, long auditedObjects) {
        return new Report(allFindings, commits, streams, transactions, auditedObjects, position, root);
    }

    public boolean isClean() {
        return findings.isEmpty();
    }
}
