package dev.tallystick.log.files;

import dev.tallystick.log.entry.LogEntry;
import java.util.List;

/** What makes a list of entries a batch: references lead back, and a rotation of keys stands right before the head. */
final class BatchRules {

    private BatchRules() {}

    static void check(long firstIndex, List<LogEntry> entries) {
        if (entries.isEmpty() || entries.size() > LogDirectory.MOST_ENTRIES) {
            throw new IllegalArgumentException(
                    "a batch has 1 to " + LogDirectory.MOST_ENTRIES + " entries, not " + entries.size());
        }
        for (int i = 0; i < entries.size(); i++) {
            check(firstIndex + i, entries.get(i), i == entries.size() - 1);
        }
    }

    private static void check(long index, LogEntry entry, boolean last) {
        switch (entry) {
            case LogEntry.Accepted accepted -> requireBefore(index, accepted.secret());
            case LogEntry.Closed closed -> requireBefore(index, closed.accepted());
            case LogEntry.Erased erased -> requireBefore(index, erased.accepted());
            case LogEntry.MapHead head ->
                throw new IllegalArgumentException("entry " + index + ": the plan adds the head");
            case LogEntry.KeyRotation rotation -> {
                if (!last) {
                    throw new IllegalArgumentException("entry " + index + ": a rotation of keys ends its batch");
                }
            }
            case LogEntry.Succession succession -> {
                if (index != 0) {
                    throw new IllegalArgumentException("entry " + index + ": a succession begins its log");
                }
            }
            case LogEntry.OperatorAction action -> {}
            case LogEntry.ExchangeDocument document -> {}
            case LogEntry.SecretCommitted secret -> {}
        }
    }

    private static void requireBefore(long index, @org.jspecify.annotations.Nullable Long other) {
        if (other != null && other >= index) {
            throw new IllegalArgumentException(
                    "entry " + index + " refers to entry " + other + ", which is not before it");
        }
    }
}
