package dev.tallystick.engine.seal;

import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.SealedStore.SealedJob;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.entry.Commitment;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.KeyProver;
import dev.tallystick.log.receipt.Opened;
import dev.tallystick.log.receipt.SealedEntry;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.sql.Database;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Proves how often a key was accepted. Only the process that seals has the key map and the secrets for that. */
final class KeyProofs {

    private final Database database;
    private final InstallationSecret secret;
    private final SealedStore sealed = new SealedStore();

    KeyProofs(Database database, InstallationSecret secret) {
        this.database = database;
        this.secret = secret;
    }

    KeyProof prove(LogSnapshot log, SignedNote checkpoint, ScopedKey key) throws IOException {
        String mesh = key.scope().mesh();
        String member = key.scope().member();
        Optional<Opened> job = job(key);
        List<KeyProof.Generation> generations = new ArrayList<>();
        MemberSecret next = secret.of(mesh, member, BatchPlanner.GENERATION);
        if (isThere(log, next.position())) {
            generations.add(KeyProver.generation(
                    next, key.key().value(), log::prove, tag -> job.filter(shown -> opens(log, tag, shown))));
            next = secret.of(mesh, member, BatchPlanner.GENERATION + 1);
        }
        TlogProof head = log.inclusion(log.size() - 1);
        return new KeyProof(
                mesh,
                member,
                key.key().value(),
                SealedEntry.of(log.entry(head.index()), head, Map.of()),
                generations,
                log.prove(next.position()),
                checkpoint,
                log.keys().rotations());
    }

    private static boolean isThere(LogSnapshot log, Hash tag) throws IOException {
        MapLeaf leaf = log.prove(tag).leaf();
        return leaf != null && leaf.tag().equals(tag);
    }

    /** The job of the key's last acceptance, with what opens it; empty if the key is forgotten or the job erased. */
    private Optional<Opened> job(ScopedKey key) {
        return database.transact(
                        "find the job of a key",
                        tx -> sealed.ofKey(
                                tx,
                                key.scope().mesh(),
                                key.scope().member(),
                                key.key().value()))
                .flatMap(KeyProofs::opened);
    }

    private static Optional<Opened> opened(SealedJob job) {
        byte[] salt = job.salt();
        String id = job.id().toString();
        return salt == null
                ? Optional.empty()
                : Optional.of(new Opened(Json.of(id), JobSalt.of(id, salt).opening(LogEntry.JOB)));
    }

    /** An older acceptance of the key is of another job. */
    private static boolean opens(LogSnapshot log, Hash tag, Opened shown) {
        try {
            MapLeaf leaf = log.prove(tag).leaf();
            String id = ((Json.StringValue) shown.value()).value();
            return leaf != null
                    && Commitment.of(shown.opening(), id, LogEntry.JOB, shown.value())
                            .equals(leaf.commitment());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
