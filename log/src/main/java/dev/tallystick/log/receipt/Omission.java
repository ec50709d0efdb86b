package dev.tallystick.log.receipt;

import dev.tallystick.log.entry.EntryType;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.map.MapProof;
import java.time.Instant;

/**
 * Shows that a promise was broken: a checkpoint that witnesses cosigned after the promised time, and a key map in it without the
 * promised tag.
 *
 * @param promise what the holder has
 * @param cosignedAt when the witnesses saw the log without it
 */
public record Omission(AcceptancePromise promise, Instant cosignedAt) {

    /**
     * Checks that a promise was broken.
     *
     * @throws IllegalArgumentException with the reason, if this is no omission
     */
    public static Omission check(AcceptancePromise promise, Standing standing, SealedEntry head, MapProof absence) {
        head.requireIncluded(standing.checkpoint());
        LogEntry.MapHead last = SealedEntry.as(LogEntry.MapHead.class, head, EntryType.MAP_HEAD);
        if (head.index() != standing.checkpoint().size() - 1
                || !promise.origin().equals(standing.checkpoint().origin())) {
            throw new IllegalArgumentException("the checkpoint is of another log, or does not end in this head");
        }
        Instant at = standing.cosignedAt()
                .filter(time -> time.isAfter(promise.sealedBy()))
                .orElseThrow(() -> new IllegalArgumentException(
                        "no quorum of witnesses saw this checkpoint after " + promise.sealedBy()));
        boolean absent = absence.check(promise.tag(), last.root()).orElse(null) instanceof MapProof.Shown.Absent;
        if (!absent) {
            throw new IllegalArgumentException("the key map has the promised tag, or the proof is wrong");
        }
        return new Omission(promise, at);
    }
}
