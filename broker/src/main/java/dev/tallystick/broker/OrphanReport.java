package dev.tallystick.broker;

import java.util.List;

/** What the orphan check found: rows that lack another that belongs to them. There should be none. */
public record OrphanReport(List<Finding> findings) {

    /** A kind of orphaned row. */
    public enum Kind {
        KEY_WITHOUT_MESSAGE,
        KEY_WITHOUT_HISTORY,
        MESSAGE_WITHOUT_KEY,
        MESSAGE_WITHOUT_HISTORY,
        MESSAGE_WITHOUT_DELIVERY,
        MESSAGE_WITHOUT_MENTION,
        HISTORY_WITHOUT_MESSAGE,
        DELIVERY_WITHOUT_MESSAGE,
        MENTION_WITHOUT_MESSAGE
    }

    /** The number of orphans of a kind, with examples up to a limit. */
    public record Finding(Kind kind, long count, List<String> examples) {}

    public OrphanReport {
        findings = List.copyOf(findings);
    }

    public boolean isClean() {
        return findings.isEmpty();
    }

    /** All orphans together, for a metric. */
    public long total() {
        return findings.stream().mapToLong(Finding::count).sum();
    }
}
