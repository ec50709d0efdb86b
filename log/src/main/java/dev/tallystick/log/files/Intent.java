package dev.tallystick.log.files;

import java.util.List;

/**
 * A batch as the database recorded it before any file was written. A successor finishes it and never forms another.
 *
 * @param oldSize the size of the log before the batch
 * @param entries the bytes of the entries, the head last
 * @param note the exact text to sign
 */
public record Intent(long oldSize, List<byte[]> entries, String note) {

    public Intent {
        entries = List.copyOf(entries);
    }

    public static Intent of(BatchPlan plan) {
        return new Intent(plan.oldSize(), plan.entries(), plan.note());
    }
}
