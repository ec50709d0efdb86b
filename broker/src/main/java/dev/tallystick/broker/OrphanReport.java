package dev.tallystick.broker;

import java.util.List;

/** What the orphan check found: rows that should stand together and do not. Nothing ever should. */
public record OrphanReport(List<Finding> findings) {

    /** A kind of row that must not be without another. */
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

    /** How many of a kind there are, and which, up to a limit. */
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
