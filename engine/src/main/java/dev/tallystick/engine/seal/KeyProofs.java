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
import dev.tallystick.log.receipt.Descendants;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.KeyProver;
import dev.tallystick.log.receipt.Opened;
import dev.tallystick.log.receipt.SealedEntry;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.sql.Database;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** Proves how often a key was accepted. Only the process that seals has the key map and the secrets for that. */
final class KeyProofs {

    private static final ShownFields ORIGIN = ShownFields.of(List.of(LogEntry.Origin.FIELD));

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
        Optional<SealedJob> found = job(key);
        Optional<Opened> job = found.flatMap(KeyProofs::opened);
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
                job.isPresent() && isShown(generations)
                        ? descendants(log, mesh, found.get().id())
                        : Descendants.NONE,
                checkpoint,
                log.keys().rotations());
    }

    private static boolean isThere(LogSnapshot log, Hash tag) throws IOException {
        MapLeaf leaf = log.prove(tag).leaf();
        return leaf != null && leaf.tag().equals(tag);
    }

    /** The job of the key's last acceptance; empty if the key is forgotten. */
    private Optional<SealedJob> job(ScopedKey key) {
        return database.read(
                "find the job of a key",
                tx -> sealed.ofKey(
                        tx, key.scope().mesh(), key.scope().member(), key.key().value()));
    }

    /** Whether the log has the job already. */
    private static boolean isShown(List<KeyProof.Generation> generations) {
        return generations.stream()
                .flatMap(generation -> generation.numbers().stream())
                .anyMatch(number -> number.job() != null);
    }

    private Descendants descendants(LogSnapshot log, String mesh, UUID job) throws IOException {
        List<SealedJob> found = database.read(
                "find the descendants of a job",
                tx -> sealed.descendants(tx, mesh, List.of(job), log.size(), Descendants.MOST + 1));
        List<SealedEntry> entries = new ArrayList<>();
        for (SealedJob each : found.subList(0, Math.min(found.size(), Descendants.MOST))) {
            entries.add(entry(log, each));
        }
        entries.sort(Comparator.comparingLong(SealedEntry::index));
        return new Descendants(entries, found.size() > Descendants.MOST);
    }

    private static SealedEntry entry(LogSnapshot log, SealedJob job) throws IOException {
        long index = Objects.requireNonNull(job.accepted());
        JobSalt salt = JobSalt.of(job.id().toString(), Objects.requireNonNull(job.salt()));
        Json.ObjectValue record = (Json.ObjectValue) Json.parse(Objects.requireNonNull(job.acceptedRecord()));
        return SealedEntry.of(log.entry(index), log.inclusion(index), Opened.of(salt, ORIGIN.of(record.members())));
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
