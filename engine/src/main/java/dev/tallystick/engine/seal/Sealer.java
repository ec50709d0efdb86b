package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.seal.BatchPlanner.Facts;
import dev.tallystick.engine.seal.BatchPlanner.Planned;
import dev.tallystick.engine.seal.OtherFactStore.PlacedDocument;
import dev.tallystick.engine.seal.SealStore.Recorded;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.BatchPlan;
import dev.tallystick.log.files.Intent;
import dev.tallystick.log.files.LogAlarm;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.map.DuplicateTagException;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.witness.Witnesses;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals what is queued. Any number of processes may have one; the one with the lease works, and another takes over when the
 * lease has run out. Each batch is recorded as an intent before anything is signed or written, and a successor finishes it.
 *
 * <p>If the directory is not what the anchor says, the alarm is raised, nothing is written, and each later run compares them
 * again.
 */
public final class Sealer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sealer.class);
    private static final Duration STOPPING = Duration.ofSeconds(10);

    private final Database database;
    private final SealSettings settings;
    private final CrashPoints crashPoints;
    private final String owner;
    private final LogIdentity identity;
    private final SigningKeys keys;
    private final InstallationSecret secret;
    private final BatchPlanner planner;
    private final SealStore store = new SealStore();
    private final SealedStore sealed = new SealedStore();
    private final OtherFactStore otherFacts = new OtherFactStore();
    private final DocumentQueue documents;
    private final BatchPublisher publisher;
    private final KeyProofs keyProofs;
    private final Promises promises;
    private final CheckpointCosigner cosigner;
    private final Loop loop;

    /** The directory as compared with the anchor; null if it has to be compared. One thread uses it. */
    private @Nullable LogDirectory directory;

    /** The log as of the last anchor, which may be served; null if this process does not seal. */
    private volatile @Nullable LogSnapshot served;

    private volatile SealBacklog backlog = SealBacklog.NONE;
    private volatile boolean closing;

    private Sealer(
            Database database,
            SealSettings settings,
            LogIdentity identity,
            SigningKeys keys,
            InstallationSecret secret,
            DocumentQueue documents,
            SecureRandom random,
            CrashPoints crashPoints) {
        this.database = database;
        this.settings = settings;
        this.documents = documents;
        this.owner = new UUID(random.nextLong(), random.nextLong()).toString();
        this.crashPoints = crashPoints;
        this.identity = identity;
        this.keys = keys;
        this.secret = secret;
        this.publisher = new BatchPublisher(database, keys, crashPoints);
        this.planner = new BatchPlanner(secret, random, settings.facts(), documents);
        this.keyProofs = new KeyProofs(database, secret);
        this.promises = new Promises(secret, keys::current, () -> served, identity.begun());
        this.cosigner =
                new CheckpointCosigner(database, new Witnesses(settings.witnesses(), Witnesses.PATIENCE), () -> served);
        this.loop = new Loop("sealer", settings.interval(), this::seal);
    }

    /**
     * Reads the keys, which the first call for a database makes, and switches sealing on.
     *
     * @param origin the name of the log if it begins now
     * @throws IllegalArgumentException if the keys of a log that has begun are not here
     */
    public static Sealer open(Database database, SealSettings settings, String origin, CrashPoints crashPoints) {
        return open(database, settings, origin, DocumentQueue.NONE, crashPoints);
    }

    /** As {@link #open(Database, SealSettings, String, CrashPoints)}, with the documents of the exchange. */
    public static Sealer open(
            Database database, SealSettings settings, String origin, DocumentQueue documents, CrashPoints crashPoints) {
        SealStore store = new SealStore();
        Optional<SealStore.Anchor> begun = database.transact("read the anchor of the log", store::anchor);
        LogNumber number = begun.map(SealStore.Anchor::number).orElse(LogNumber.FIRST);
        SealKeys keys = SealKeys.open(
                settings.secrets(), number, begun.map(SealStore.Anchor::origin).orElse(null), origin);
        if (begun.isEmpty()) {
            boolean unused = database.transact(
                    "begin to seal",
                    SessionLimits.LONG,
                    tx -> store.begin(
                            tx, keys.signer().key(), keys.secret().id().hex()));
        }
        return new Sealer(
                database,
                settings.of(number),
                LogIdentity.read(database, keys.signer().key()),
                new SigningKeys(settings.secrets(), number, keys.signer(), crashPoints),
                keys.secret(),
                documents,
                new SecureRandom(),
                crashPoints);
    }

    /** The public key that the log began with, which verifies everything that it signs. */
    public VerifierKey rootKey() {
        return identity.rootKey();
    }

    /** Which log of the database this is. */
    public LogNumber number() {
        return identity.number();
    }

    /** The newest checkpoint that may be shown to others; empty if this process does not seal, or has sealed nothing. */
    public Optional<SignedNote> checkpoint() {
        LogSnapshot log = proving();
        return log == null ? Optional.empty() : log.checkpoint();
    }

    public void start() {
        loop.start();
        cosigner.start();
    }

    /** How far sealing is behind, as of the last run. */
    public SealBacklog backlog() {
        return backlog;
    }

    /**
     * Proves how often the key was accepted, by the newest checkpoint. The proof shows the secret of the key's member, which
     * opens all tags of that member.
     *
     * @return the proof as JSON in UTF-8; empty if nothing is sealed yet, or another process seals
     */
    public Optional<byte[]> proveKey(ScopedKey key) {
        LogSnapshot log = proving();
        if (log == null || log.checkpoint().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    keyProofs.prove(log, log.checkpoint().get(), key).json().canonicalBytes());
        } catch (IOException e) {
            if (served == null) {
                return Optional.empty();
            }
            throw new UncheckedIOException(e);
        }
    }

    public Promises promises() {
        return promises;
    }

    /** Whether a quorum of witnesses cosigned in the last round. */
    public boolean isWitnessed() {
        return cosigner.cosigned() != null;
    }

    /** The newest log that a quorum of witnesses cosigned, or, if they do not answer, the newest log. */
    private @Nullable LogSnapshot proving() {
        LogSnapshot newest = served;
        LogSnapshot cosigned = cosigner.cosigned();
        return newest == null || cosigned == null ? newest : cosigned;
    }

    /** Asks the witnesses now. */
    void cosign() {
        cosigner.cosign();
    }

    /** Seals all that is queued, if this process has or gets the lease, and stops after a batch when it is closed. */
    public void seal() {
        boolean whole = false;
        try {
            boolean more = directory != null || open();
            do {
                more = more && sealBatch();
                backlog = read(null);
            } while (more && !closing);
            showCosignatures();
            whole = true;
        } catch (LogAlarm e) {
            raise(e.reason() + ": " + e.getMessage(), e);
        } catch (IOException | UncheckedIOException e) {
            raise("the directory of the log cannot be used: " + e.getMessage(), e);
        } finally {
            if (!whole) {
                closeDirectory();
            }
        }
    }

    /** Compares the directory with the anchor and finishes the intent, if there is one. */
    private boolean open() throws IOException {
        SealStore.Anchor known =
                database.transact("read the anchor of the log", store::anchor).orElseThrow();
        requireSame(known);
        LogDirectory.requirePresent(settings.log(), anchorOf(known));
        record Held(SealStore.Anchor anchor, Optional<Recorded> intent) {}
        Optional<Held> held = database.transact("take the lease of the log", tx -> {
            Optional<SealStore.Anchor> anchor =
                    store.lease(tx, owner, settings.lease()).filter(this::isOurs);
            return anchor.isEmpty() ? Optional.empty() : Optional.of(new Held(anchor.get(), store.intent(tx)));
        });
        if (held.isEmpty()) {
            return false;
        }
        SealStore.Anchor anchor = held.get().anchor();
        Intent intent = held.get().intent().map(Recorded::batch).orElse(null);
        directory = LogDirectory.open(settings.log(), rootKey(), anchorOf(anchor), intent, crashPoints);
        keys.use(directory.keys().current());
        if (anchor.alarm() != null) {
            LOG.warn("sealing continues: the log is where its anchor says");
            int unused = database.transact("end the alarm", tx -> store.calm(tx, owner));
        }
        if (intent == null) {
            served = directory.snapshot();
        }
        return intent == null || finish(intent, null);
    }

    /**
     * Another process may have begun the same log at the same moment, with a secret of its own; and an operator may have given
     * the log up.
     */
    private void requireSame(SealStore.Anchor anchor) {
        if (!isOurs(anchor)) {
            throw new LogAlarm(
                    LogAlarm.Reason.OTHER_LOG,
                    settings.log(),
                    "is of a log that was given up: '" + anchor.origin() + "' succeeds it. Start this server again");
        }
        String id = anchor.secretId();
        if (id != null && !id.equals(secret.id().hex())) {
            throw new LogAlarm(
                    LogAlarm.Reason.OTHER_KEYS,
                    settings.secrets(),
                    "has another secret than the log began with: let the server with these files seal, or copy them");
        }
    }

    private boolean isOurs(SealStore.Anchor anchor) {
        return anchor.origin().equals(rootKey().name());
    }

    private static Anchor anchorOf(SealStore.Anchor anchor) {
        return anchor.checkpoint() == null
                ? Anchor.EMPTY
                : Anchor.of(
                        Checkpoint.parse(SignedNote.parse(anchor.checkpoint()).text()));
    }

    /** Returns whether there may be more to seal. */
    private boolean sealBatch() throws IOException {
        LogDirectory log = directory();
        Optional<Facts> facts = database.transact("take from the queue of the log", tx -> {
            Optional<SealStore.Anchor> anchor = store.lease(tx, owner, settings.lease());
            boolean current =
                    anchor.filter(this::isOurs).isPresent() && anchor.get().size() == log.size();
            return current ? Optional.of(planner.read(tx)) : Optional.empty();
        });
        if (facts.isEmpty()) {
            closeDirectory();
            return false;
        }
        Batch batch = workOut(log, facts.get());
        BatchPlan plan = batch.plan();
        if (plan == null) {
            long[] queued = batch.planned().queued();
            return queued.length > 0
                    && database.transact("drop what is sealed already", tx -> store.drop(tx, queued)) > 0;
        }
        crashPoints.reached(SealCrashPoint.WORKED_OUT);
        if (!database.transact("intend to seal", tx -> intend(tx, plan, batch.planned()))) {
            closeDirectory();
            return false;
        }
        crashPoints.reached(SealCrashPoint.INTENDED);
        return finish(Intent.of(plan), plan);
    }

    /** A batch that is worked out, of which nothing is written; without a plan if it has no entries. */
    private record Batch(Planned planned, @Nullable BatchPlan plan) {}

    private Batch workOut(LogDirectory log, Facts facts) throws IOException {
        try {
            return workOut(log, facts, tag -> false);
        } catch (DuplicateTagException e) {
            // A key was accepted again after its expiry. That is so rare that only now every tag is looked up.
            return workOut(log, facts, tag -> isMapped(log, tag));
        }
    }

    private Batch workOut(LogDirectory log, Facts facts, Predicate<Hash> isMapped) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        LogEntry.Succession succession = identity.succession();
        if (log.size() == 0 && succession != null) {
            entries.add(succession);
        }
        Planned planned = planner.plan(facts, log.size() + entries.size(), isMapped);
        entries.addAll(planned.entries());
        keys.next().ifPresent(next -> entries.add(new LogEntry.KeyRotation(next)));
        return new Batch(planned, entries.isEmpty() ? null : log.plan(entries));
    }

    /** Records the batch; returns false if another process has recorded one for the same size. */
    private boolean intend(Tx tx, BatchPlan plan, Planned planned) throws SQLException {
        if (!store.intend(tx, new Recorded(Intent.of(plan), planned.queued()))) {
            return false;
        }
        sealed.write(tx, planned.jobs().values());
        if (!planned.others().isEmpty()) {
            otherFacts.place(tx, planned.others());
        }
        if (!planned.documents().isEmpty()) {
            otherFacts.add(tx, planned.documents());
            documents.remove(tx, rowsOf(planned.documents()));
        }
        if (!planned.members().isEmpty()) {
            sealed.addMembers(tx, planned.members(), BatchPlanner.GENERATION);
        }
        crashPoints.reached(SealCrashPoint.INTENDING);
        return true;
    }

    private static long[] rowsOf(List<PlacedDocument> placed) {
        return placed.stream()
                .mapToLong(each -> each.document().row())
                .distinct()
                .toArray();
    }

    private static boolean isMapped(LogDirectory log, Hash tag) {
        try {
            MapLeaf leaf = log.snapshot().prove(tag).leaf();
            return leaf != null && leaf.tag().equals(tag);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Signs and writes the batch, as far as that has not happened, and moves the anchor.
     *
     * @param plan null for a batch of an earlier process
     * @return whether this process still seals
     */
    private boolean finish(Intent batch, @Nullable BatchPlan plan) throws IOException {
        if (!publisher.publish(directory(), batch, plan)) {
            closeDirectory();
            return false;
        }
        served = directory().snapshot();
        cosigner.ring();
        return true;
    }

    /** Adds cosignatures to the checkpoint in the directory, if they are on that one. */
    private void showCosignatures() throws IOException {
        LogSnapshot cosigned = cosigner.cosigned();
        if (directory != null && cosigned != null) {
            SignedNote note = cosigned.checkpoint().orElseThrow();
            boolean unused = directory.cosign(Checkpoint.parse(note.text()), note.signatures());
        }
    }

    /** Says why this process does not seal, and lets another one that can. */
    private void raise(String why, Exception cause) {
        if (why.equals(backlog.alarm())) {
            LOG.debug("sealing is still stopped: {}", why);
        } else {
            LOG.error("sealing has stopped here, jobs have not: {}", why, cause);
        }
        try {
            backlog = read(why);
            int unused = database.transact("raise the alarm", tx -> store.alarm(tx, owner, why));
        } catch (TransactionException e) {
            LOG.warn("the alarm could not be recorded", e);
        }
    }

    private SealBacklog read(@Nullable String alarm) {
        SealStore.Backlog read = database.transact("read the backlog of the log", store::backlog);
        return new SealBacklog(read.rows(), read.lag(), alarm);
    }

    private LogDirectory directory() {
        LogDirectory open = directory;
        if (open == null) {
            throw new IllegalStateException("the directory is not open");
        }
        return open;
    }

    private void closeDirectory() {
        LogDirectory open = directory;
        directory = null;
        served = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.warn("the directory of the log could not be closed", e);
            }
        }
    }

    /** Stops after the current batch, and lets another process continue at once. */
    @Override
    public void close() {
        closing = true;
        loop.end();
        loop.awaitEnd(STOPPING);
        cosigner.close();
        closeDirectory();
        try {
            int unused = database.transact("give back the lease of the log", tx -> store.release(tx, owner));
        } catch (TransactionException e) {
            LOG.warn("the lease of the log was not given back; it runs out by itself", e);
        }
    }
}
