package dev.tallystick.engine.seal;

import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.sql.Database;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The log that a database has now.
 *
 * @param rootKey the public key that it began with
 * @param begun when it began, if it succeeds another log
 * @param succession its first entry, if it succeeds another log
 */
record LogIdentity(LogNumber number, VerifierKey rootKey, Instant begun, LogEntry.@Nullable Succession succession) {

    /** @param signing the key that signs, which is the root key of a log that began before root keys were recorded */
    static LogIdentity read(Database database, VerifierKey signing) {
        SealStore store = new SealStore();
        SuccessionStore successions = new SuccessionStore();
        return database.transact("read which log this is", tx -> {
            SealStore.Anchor anchor = store.anchor(tx).orElseThrow();
            String root = anchor.rootKey();
            Instant begun = anchor.begunAt();
            Optional<SuccessionStore.Old> old = anchor.number().equals(LogNumber.FIRST)
                    ? Optional.empty()
                    : successions.find(tx, anchor.number().before());
            return new LogIdentity(
                    anchor.number(),
                    root == null ? signing : VerifierKey.parse(root),
                    begun == null ? Instant.EPOCH : begun,
                    old.map(LogIdentity::succession).orElse(null));
        });
    }

    private static LogEntry.Succession succession(SuccessionStore.Old old) {
        String checkpoint = old.checkpoint();
        return new LogEntry.Succession(
                VerifierKey.parse(old.rootKey()),
                checkpoint == null ? null : SignedNote.parse(checkpoint),
                old.reason());
    }
}
