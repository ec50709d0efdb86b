package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.SealStore.Recorded;
import dev.tallystick.engine.seal.SealedStore.Member;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.RightEdge;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Brings a restored database up to what its log knows, in one transaction. The log must be whole and continue the one that the
 * database remembers; otherwise nothing is changed.
 *
 * <p>Of what happened after the backup, the log tells which keys were accepted, which jobs closed and how, which were erased, and
 * which members and tokens were ended. It tells nothing of inputs and results: these are lost.
 */
public final class LogReplay {

    private static final String LOST_RESULT =
            "the result is lost: the database was restored from a backup that is older than the end of this job";

    private final Database database;
    private final SealStore store = new SealStore();
    private final SealedStore sealed = new SealedStore();
    private final TileStore tiles = new TileStore();
    private final ReplayStore replay = new ReplayStore();

    public LogReplay(Database database) {
        this.database = database;
    }

    /** A job that the log has erased and the database has not. */
    public record Erased(String mesh, JobId job) {}

    /**
     * What the log knew.
     *
     * @param before the size of the log that the database remembered
     * @param size the size of the log
     * @param lost keys that were accepted and whose jobs are lost
     * @param lostWithoutKey other jobs that were accepted and are lost: children, continuations, reruns, forks
     * @param closed open jobs that are closed now, as the log says
     * @param stopped open jobs that the log has closed in a way that cannot be known: nothing of them runs any more
     * @param acts acts of operators after the backup, those that ended something included
     */
    public record Report(long before, long size, long lost, long lostWithoutKey, int closed, int stopped, long acts) {

        /** Whether the database was as new as the log. */
        public boolean isUpToDate() {
            return before == size;
        }
    }

    /** Marks a restored database, in the transaction that fills it: until it is {@link #settle settled}, no server starts. */
    public Also marking(Instant madeAt) {
        return tx -> replay.mark(tx, madeAt);
    }

    /** Whether the database was restored and has not been settled. */
    public boolean isUnsettled() {
        return database.transact("read the restore", replay::isUnsettled);
    }

    /** Jobs that the log has erased and this database has not yet. */
    public List<Erased> unerased() {
        return database.transact("find jobs to erase", replay::unerased).stream()
                .map(each -> new Erased(each.mesh(), new JobId(each.id())))
                .toList();
    }

    /** Hashes of members and tokens that were ended after the backup, until it is settled. */
    public List<Hash> ended() {
        return database.transact("read what was ended", replay::ended).stream()
                .map(Hash::of)
                .toList();
    }

    /** Lets servers start. Call it when everything in the report is done. */
    public void settle() {
        database.transact("settle the restore", tx -> {
            replay.settle(tx);
            return null;
        });
    }

    /** The origin of the log; empty if the jobs of this database were never sealed. */
    public Optional<String> origin() {
        return database.transact("read the anchor of the log", store::anchor).map(SealStore.Anchor::origin);
    }

    /** Which log of the database is current. */
    public LogNumber number() {
        return database.transact("read the anchor of the log", store::anchor)
                .map(SealStore.Anchor::number)
                .orElse(LogNumber.FIRST);
    }

    /** The size of the log that the database remembers. */
    public long size() {
        return database.transact("read the anchor of the log", store::anchor)
                .map(SealStore.Anchor::size)
                .orElse(0L);
    }

    /**
     * Compares the database with the log, and replays what it does not know.
     *
     * @param secrets the directory of the installation's secret
     * @throws IllegalArgumentException if the log is not the one of this database, with the reason
     */
    public Report replay(Path directory, VerifierKey rootKey, Path secrets) throws IOException {
        InstallationSecret secret = KeptSecret.read(secrets);
        SignedNote note = SignedNote.parse(Files.readAllBytes(directory.resolve("checkpoint")));
        Anchor own = Anchor.of(Checkpoint.parse(note.text()));
        try (LogDirectory log = LogDirectory.open(directory, rootKey, own, null, CrashPoints.NONE)) {
            SealStore.Anchor anchor = database.transact("read the anchor of the log", store::anchor)
                    .orElseThrow(() -> new IllegalArgumentException("the jobs of this database were never sealed"));
            if (anchor.size() > log.size()) {
                throw new IllegalArgumentException(
                        "the log has size " + log.size() + ", but the database remembers size " + anchor.size()
                                + ": bring back a newer copy of the log, or write it again from the database");
            }
            requireContinuation(log, anchor);
            if (anchor.size() == log.size()) {
                return new Report(anchor.size(), log.size(), 0, 0, 0, 0, 0);
            }
            return database.transact("replay the log", SessionLimits.LONG, tx -> replay(tx, log, note, secret));
        }
    }

    /** Hashes all entries: the log has the root that the database remembers, at its size. */
    private static void requireContinuation(LogDirectory log, SealStore.Anchor anchor) throws IOException {
        if (anchor.checkpoint() == null) {
            return;
        }
        Checkpoint remembered =
                Checkpoint.parse(SignedNote.parse(anchor.checkpoint()).text());
        RightEdge edge = RightEdge.EMPTY;
        for (long bundle = 0; edge.size() < remembered.size(); bundle++) {
            for (byte[] entry : bundle(log, bundle)) {
                if (edge.size() < remembered.size()) {
                    edge = edge.append(Hash.leaf(entry));
                }
            }
        }
        if (!edge.root().equals(remembered.root())) {
            throw new IllegalArgumentException("the log is not the one that the database remembers: at size "
                    + remembered.size() + " it has another root");
        }
    }

    private static List<byte[]> bundle(LogDirectory log, long number) throws IOException {
        int width = (int) Math.min(TilePath.FULL, log.size() - number * TilePath.FULL);
        return EntryBundle.decode(log.read(new TilePath(TilePath.ENTRIES, number, width)));
    }

    private Report replay(Tx tx, LogDirectory log, SignedNote note, InstallationSecret secret) throws SQLException {
        SealStore.Anchor anchor = store.anchor(tx).orElseThrow();
        Recorded intent = store.intent(tx).orElse(null);
        replay.begin(tx);
        try {
            long known = requireIntent(log, intent);
            load(tx, log, Math.max(anchor.size(), known));
            placeMembers(tx, secret);
            placeQueued(tx, log, secret);
            replay.placeEnds(tx);
            int[] closed = close(tx);
            replay.placeErasures(tx);
            replay.keepEnded(tx);
            long lost = replay.lose(tx);
            Report report = new Report(
                    anchor.size(),
                    log.size(),
                    lost,
                    replay.count(tx, LogEntry.Accepted.TYPE.code(), true),
                    closed[0],
                    closed[1],
                    replay.count(tx, LogEntry.OperatorAction.TYPE.code(), true));
            tiles.write(tx, BatchPublisher.copies(log, anchor.size()));
            keepRotations(tx, log, anchor.size());
            replay.anchor(tx, log.size(), note.toString());
            return report;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void keepRotations(Tx tx, LogDirectory log, long known) throws SQLException {
        for (Rotation rotation : log.keys().rotations()) {
            if (rotation.lastSize() > known) {
                store.rotated(
                        tx, rotation.lastSize(), rotation.proof().checkpoint().toString());
            }
        }
    }

    /** The intent of the backup, if there is one, is the next batch of the log: its jobs are known. Returns where it ends. */
    private static long requireIntent(LogDirectory log, @Nullable Recorded intent) throws IOException {
        if (intent == null) {
            return 0;
        }
        long position = intent.batch().oldSize();
        for (byte[] entry : intent.batch().entries()) {
            byte[] there = bundle(log, position / TilePath.FULL).get((int) (position % TilePath.FULL));
            if (!Arrays.equals(there, entry)) {
                throw new IllegalArgumentException(
                        "entry " + position + " of the log is not the one that the database was about to seal");
            }
            position++;
        }
        return position;
    }

    private void load(Tx tx, LogDirectory log, long from) throws SQLException, IOException {
        for (long number = from / TilePath.FULL; number * TilePath.FULL < log.size(); number++) {
            List<byte[]> bundle = bundle(log, number);
            List<ReplayStore.Entry> entries = new ArrayList<>();
            for (int i = 0; i < bundle.size(); i++) {
                long position = number * TilePath.FULL + i;
                if (position >= from) {
                    entries.add(entry(position, LogEntry.parse(bundle.get(i))));
                }
            }
            replay.add(tx, entries);
        }
    }

    private static ReplayStore.Entry entry(long position, LogEntry entry) {
        int type = entry.type().code();
        return switch (entry) {
            case LogEntry.Accepted accepted ->
                new ReplayStore.Entry(position, type, bytes(accepted.tag()), null, null, accepted.expiresAt(), null);
            case LogEntry.Closed closed ->
                new ReplayStore.Entry(
                        position,
                        type,
                        null,
                        closed.accepted(),
                        null,
                        null,
                        bytes(closed.commitments().get("outcome")));
            case LogEntry.Erased erased ->
                new ReplayStore.Entry(position, type, null, erased.accepted(), null, null, null);
            case LogEntry.OperatorAction act ->
                new ReplayStore.Entry(position, type, null, null, bytes(act.ends()), null, null);
            case LogEntry.SecretCommitted secret ->
                new ReplayStore.Entry(position, type, secret.position().bytes(), null, null, null, null);
            case LogEntry.ExchangeDocument document -> plain(position, type);
            case LogEntry.MapHead head -> plain(position, type);
            case LogEntry.KeyRotation rotation -> plain(position, type);
            case LogEntry.Succession succession -> plain(position, type);
        };
    }

    private static ReplayStore.Entry plain(long position, int type) {
        return new ReplayStore.Entry(position, type, null, null, null, null, null);
    }

    private static byte @Nullable [] bytes(@Nullable Hash hash) {
        return hash == null ? null : hash.bytes();
    }

    /** The secrets of members whose first key was sealed after the backup. */
    private void placeMembers(Tx tx, InstallationSecret secret) throws SQLException {
        Map<Member, Long> found = new HashMap<>();
        for (ReplayStore.KnownMember member : replay.knownMembers(tx)) {
            byte[] position = secret.of(member.mesh(), member.member(), BatchPlanner.GENERATION)
                    .position()
                    .bytes();
            Optional<Long> there = replay.find(tx, position);
            if (there.isPresent()) {
                found.put(new Member(member.mesh(), member.member()), there.get());
            }
        }
        if (!found.isEmpty()) {
            sealed.addMembers(tx, found, BatchPlanner.GENERATION);
        }
    }

    /** Jobs that the backup has and that were sealed after it: their positions are known by their keys, their salts are lost. */
    private void placeQueued(Tx tx, LogDirectory log, InstallationSecret secret) throws SQLException, IOException {
        for (ReplayStore.QueuedJob job : replay.queuedJobs(tx)) {
            MemberSecret member = secret.of(job.mesh(), job.member(), BatchPlanner.GENERATION);
            Hash last = null;
            for (int n = 0; isMapped(log, member.tag(MemberSecret.ACCEPT_DOOR, job.key(), n)); n++) {
                last = member.tag(MemberSecret.ACCEPT_DOOR, job.key(), n);
            }
            Optional<Long> position = last == null ? Optional.empty() : replay.find(tx, last.bytes());
            if (position.isPresent()) {
                replay.placeJob(tx, job, position.get());
            }
        }
    }

    private static boolean isMapped(LogDirectory log, Hash tag) throws IOException {
        MapLeaf leaf = log.snapshot().prove(tag).leaf();
        return leaf != null && leaf.tag().equals(tag);
    }

    /** How many jobs were closed, and how many only stopped. */
    private int[] close(Tx tx) throws SQLException {
        int closed = 0;
        int stopped = 0;
        for (ReplayStore.ClosedJob job : replay.openButClosed(tx)) {
            Optional<JobOutcome> outcome = outcome(job);
            if (outcome.isPresent()) {
                replay.close(tx, job, outcome.get().text(), LOST_RESULT);
                closed++;
            } else {
                replay.stop(tx, job);
                stopped++;
            }
        }
        return new int[] {closed, stopped};
    }

    /** The outcome is one of few words, and the salt of the job opens its commitment. */
    private static Optional<JobOutcome> outcome(ReplayStore.ClosedJob job) {
        byte[] salt = job.salt();
        byte[] committed = job.outcome();
        if (salt == null || committed == null) {
            return Optional.empty();
        }
        JobSalt opening = JobSalt.of(job.id().toString(), salt);
        return Arrays.stream(JobOutcome.values())
                .filter(outcome ->
                        opening.commit("outcome", Json.of(outcome.text())).equals(Hash.of(committed)))
                .findFirst();
    }
}
