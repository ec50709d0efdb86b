package dev.tallystick.engine.seal;

import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.SealedStore.SealedJob;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.receipt.Opened;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.SealedEntry;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.log.tree.TileSource;
import dev.tallystick.log.tree.TiledSubtrees;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes receipts from the copy of the log in the database, so that every process can. Thread-safe. */
public final class Receipts {

    private final Database database;
    private final SealStore store = new SealStore();
    private final SealedStore sealed = new SealedStore();
    private final OtherFactStore otherFacts = new OtherFactStore();
    private final SuccessionStore successions = new SuccessionStore();

    public Receipts(Database database) {
        this.database = database;
    }

    /** Proves a job of the mesh under the newest checkpoint: its acceptance, and its end if it has one. */
    public JobProof prove(String mesh, UUID job, ShownFields shown) {
        return database.read("make a receipt", tx -> {
            Optional<SealStore.Anchor> anchor = store.anchor(tx);
            Optional<SealedJob> found = sealed.find(tx, mesh, job);
            if (anchor.isEmpty() || found.isEmpty()) {
                return new JobProof.Unsealed(anchor.isPresent());
            }
            LogNumber log = sealed.logOf(tx, found.get());
            return prove(tx, log, copy(tx, anchor.get(), log), found.get(), shown);
        });
    }

    private LogCopy copy(Tx tx, SealStore.Anchor anchor, LogNumber log) throws SQLException {
        return log.equals(anchor.number())
                ? new LogCopy.Current(anchor)
                : new LogCopy.GivenUp(successions.find(tx, log).orElseThrow());
    }

    /** Whether a process has begun to seal the jobs of this database. */
    public boolean hasBegun() {
        return database.transact("read the anchor of the log", store::anchor).isPresent();
    }

    /** The newest checkpoint with the signature of the log, without those of witnesses; empty if there is none. */
    public Optional<String> checkpoint() {
        return database.read("read the newest checkpoint", store::anchor)
                .map(SealStore.Anchor::checkpoint)
                .map(SignedNote::parse)
                .map(note ->
                        new SignedNote(note.text(), List.of(note.signatures().getFirst())).toString());
    }

    private JobProof prove(Tx tx, LogNumber number, LogCopy log, SealedJob job, ShownFields shown) throws SQLException {
        byte[] salt = job.salt();
        if (log.size() == 0 || !isBelow(log.size(), job.accepted()) || !isBelow(log.size(), job.closed())) {
            return new JobProof.Pending();
        }
        if (salt == null) {
            return erased(tx, number, log, job);
        }
        if (job.hasClosed() && job.closed() == null) {
            return new JobProof.Pending();
        }
        SignedNote note = log.proving(last(job)).orElseThrow();
        long size = Checkpoint.parse(note.text()).size();
        Prover prover = new Prover(tx, log, size, note);
        Map<Long, SignedNote> rotations = log.rotations(tx, size);
        JobSalt opening = JobSalt.of(job.id().toString(), salt);
        return proven(() -> new Receipt(
                job.id().toString(),
                prover.entry(job.accepted(), shown.of(fields(job.acceptedRecord())), opening),
                prover.entry(job.closed(), shown.of(fields(job.closedRecord())), opening),
                note,
                prover.rotations(rotations)));
    }

    /** Nothing opens the entries of an erased job; the record of its erasure has a salt of its own. */
    private JobProof erased(Tx tx, LogNumber number, LogCopy log, SealedJob job) throws SQLException {
        Optional<OtherFactStore.Erasure> erasure = otherFacts.erasure(tx, job.mesh(), job.id());
        if (erasure.isEmpty()) {
            return otherFacts.isErasing(tx, job.mesh(), job.id()) ? new JobProof.Pending() : new JobProof.Lost();
        }
        OtherFactStore.Erasure fact = erasure.get();
        if (!fact.log().equals(number)) {
            return new JobProof.Lost(); // one log accepted it, and its successor erased it: no checkpoint covers both
        }
        if (!isBelow(log.size(), fact.position())) {
            return new JobProof.Pending();
        }
        SignedNote note = log.proving(fact.position()).orElseThrow();
        long size = Checkpoint.parse(note.text()).size();
        Prover prover = new Prover(tx, log, size, note);
        Map<Long, SignedNote> rotations = log.rotations(tx, size);
        JobSalt opening = JobSalt.of(job.id().toString(), fact.salt());
        return proven(() -> new Receipt(
                job.id().toString(),
                prover.entry(job.accepted(), Map.of(), opening),
                prover.entry(job.closed(), Map.of(), opening),
                prover.entry(fact.position(), fields(fact.record()), opening),
                note,
                prover.rotations(rotations)));
    }

    /** Makes a receipt. */
    private interface Maker {
        Receipt make() throws IOException;
    }

    private static JobProof proven(Maker maker) throws SQLException {
        try {
            return new JobProof.Proven(maker.make().json().canonicalBytes());
        } catch (IOException e) {
            if (e.getCause() instanceof SQLException failure) {
                throw failure;
            }
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Json> fields(byte @Nullable [] record) {
        return record == null ? Map.of() : ((Json.ObjectValue) Json.parse(record)).members();
    }

    private static long last(SealedJob job) {
        return Math.max(Objects.requireNonNullElse(job.accepted(), 0L), Objects.requireNonNullElse(job.closed(), 0L));
    }

    private static boolean isBelow(long size, @Nullable Long position) {
        return position == null || position < size;
    }

    /** Proves entries of one job in one transaction. */
    private static final class Prover {

        private final Tx tx;
        private final LogCopy log;
        private final long size;
        private final SignedNote note;
        private final TiledSubtrees subtrees;

        Prover(Tx tx, LogCopy log, long size, SignedNote note) {
            this.tx = tx;
            this.log = log;
            this.size = size;
            this.note = note;
            this.subtrees = new TiledSubtrees((TileSource) this::read, size);
        }

        /** @param opened the fields to open */
        @Nullable
        SealedEntry entry(@Nullable Long index, Map<String, Json> opened, JobSalt salt) throws IOException {
            if (index == null) {
                return null;
            }
            byte[] entry = entry(index);
            TlogProof proof = new TlogProof(index, MerkleProofs.inclusion(index, size, subtrees), note);
            return SealedEntry.of(entry, proof, Opened.of(salt, opened));
        }

        private byte[] entry(long index) throws IOException {
            int place = (int) (index % TilePath.FULL);
            return EntryBundle.decode(read(new TilePath(TilePath.ENTRIES, index / TilePath.FULL, place + 1)))
                    .get(place);
        }

        /** Each key's last checkpoint proves the entry that names the next key. */
        List<Rotation> rotations(Map<Long, SignedNote> lastCheckpoints) throws IOException {
            List<Rotation> rotations = new ArrayList<>();
            for (Map.Entry<Long, SignedNote> each : lastCheckpoints.entrySet()) {
                long index = each.getKey() - 2;
                List<Hash> proof = MerkleProofs.inclusion(
                        index, each.getKey(), new TiledSubtrees((TileSource) this::read, each.getKey()));
                rotations.add(new Rotation(entry(index), new TlogProof(index, proof, each.getValue())));
            }
            return rotations;
        }

        private byte[] read(TilePath path) throws IOException {
            try {
                return log.tile(tx, path).orElseThrow(() -> new NoSuchFileException(path.path()));
            } catch (SQLException e) {
                throw new IOException(e);
            }
        }
    }
}
