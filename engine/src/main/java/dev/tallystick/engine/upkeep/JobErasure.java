package dev.tallystick.engine.upkeep;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.view.JobEventStore;
import dev.tallystick.keys.ErasedKeys;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Erases closed jobs: everything personal is deleted in one transaction, which also queues the erasure for the log. The ID of
 * the job and its positions in the log stay, and a hash of its key until that expires, so that a repeat of its request still
 * runs nothing.
 *
 * <p>The text of the key is removed in a second transaction, as {@link ErasedKeys} explains: at once if possible, or else by the
 * loop. Any number of processes may do this. Thread-safe.
 */
public final class JobErasure implements AutoCloseable {

    private static final int BATCH = 100;
    private static final Duration STOPPING = Duration.ofSeconds(10);

    private final Database database;
    private final ErasedKeys keys;
    private final List<JobTraces> others;
    private final CrashPoints crashPoints;
    private final ErasureStore store = new ErasureStore();
    private final RetentionStore jobs = new RetentionStore();
    private final JobEventStore events = new JobEventStore();
    private final Loop loop;

    /**
     * @param random a {@link java.security.SecureRandom}
     * @param others what other modules keep of jobs
     * @param sweep how often to look for keys whose texts could not be removed at once
     */
    public JobErasure(
            Database database,
            RandomGenerator random,
            List<JobTraces> others,
            Duration sweep,
            CrashPoints crashPoints) {
        this.database = database;
        this.keys = new ErasedKeys(database, random);
        this.others = List.copyOf(others);
        this.crashPoints = crashPoints;
        this.loop = new Loop("erased-keys", sweep, this::removeKeys);
    }

    public void start() {
        loop.start();
    }

    /**
     * Erases a closed job of the mesh. A repeat gets the first answer.
     *
     * @param by the member that asks for it
     */
    public Erase erase(String mesh, JobId job, String by) {
        // Without a sealed record, the key is found by a scan.
        Erase answer = database.transact("erase a job", SessionLimits.LONG, tx -> erase(tx, mesh, job, by));
        if (answer instanceof Erase.Erased) {
            crashPoints.reached(ErasureCrashPoint.ERASED);
            removeKeys();
            crashPoints.reached(ErasureCrashPoint.KEYS_REMOVED);
        }
        return answer;
    }

    private Erase erase(Tx tx, String mesh, JobId job, String by) throws SQLException {
        Optional<ErasureStore.Locked> locked = store.lockJob(tx, mesh, job);
        Optional<ErasureStore.Sealed> sealed = store.lockSealed(tx, mesh, job);
        Optional<Erase.Erased> before = store.find(tx, mesh, job);
        if (before.isPresent()) {
            return before.get();
        }
        if (locked.isPresent() && !locked.get().hasClosed()) {
            return new Erase.StillOpen("the job has not ended: cancel it, wait for its end, and erase it then");
        }
        boolean isOfMesh = locked.isPresent() || sealed.isPresent();
        if (isOfMesh && store.isBeingSealed(tx, mesh, job)) {
            return new Erase.NotSealed();
        }
        ScopedKey key = key(tx, mesh, job, sealed.isPresent() ? sealed.get().acceptedRecord() : null);
        if (!isOfMesh && key == null) {
            return new Erase.NoSuchJob();
        }
        JobId keysOf = locked.map(ErasureStore.Locked::keysOf).orElse(job);
        return erase(tx, new JobTraces.ErasedJob(mesh, job, key, requests(tx, job, keysOf)), by);
    }

    private Erase erase(Tx tx, JobTraces.ErasedJob job, String by) throws SQLException {
        for (JobTraces other : others) {
            Optional<String> open = other.underWay(tx, job);
            if (open.isPresent()) {
                return new Erase.StillOpen(open.get());
            }
        }
        if (job.key() != null) {
            keys.cover(tx, job.key(), job.id().value());
        }
        store.takeEnd(tx, job.id());
        events.forget(tx, job.mesh(), job.id());
        jobs.drop(tx, job.mesh(), job.id().value());
        for (JobTraces other : others) {
            other.erase(tx, job);
        }
        store.unseal(tx, job.mesh(), job.id());
        Erase.Erased erased = store.record(tx, job.mesh(), job.id(), by, job.key());
        store.queue(tx, job.mesh(), job.id(), record(erased));
        crashPoints.reached(ErasureCrashPoint.ERASING);
        return erased;
    }

    /** What the entry of the erasure commits to. */
    private static byte[] record(Erase.Erased erased) {
        Map<String, Json> record = new TreeMap<>();
        record.put("job", Json.of(erased.job().toString()));
        record.put("erased_at", Json.of(erased.at().toString()));
        record.put("erased_by", Json.of(erased.by()));
        return new Json.ObjectValue(record).canonicalBytes();
    }

    /** The sealed record says which key it is, or that there is none. */
    private @Nullable ScopedKey key(Tx tx, String mesh, JobId job, byte @Nullable [] record) throws SQLException {
        if (record == null) {
            return keys.find(tx, mesh, job.value()).orElse(null);
        }
        Map<String, Json> fields = ((Json.ObjectValue) Json.parse(record)).members();
        return fields.get("key") instanceof Json.StringValue key
                        && fields.get("member") instanceof Json.StringValue member
                ? new ScopedKey(new Scope(mesh, member.value()), new IdempotencyKey(key.value()))
                : null;
    }

    private Set<UUID> requests(Tx tx, JobId job, JobId keysOf) throws SQLException {
        Set<UUID> requests = new HashSet<>(store.guids(tx, job));
        for (ErasureStore.Place place : store.places(tx, job)) {
            requests.add(Guid.of(new ActivityId(keysOf, place.path(), place.name()), 0)
                    .value());
        }
        return requests;
    }

    /** Removes the texts of keys of erased jobs, unless a transaction that binds keys has been open for too long. */
    private void removeKeys() {
        List<ErasureStore.Covered> covered;
        do {
            covered = database.transact("find keys of erased jobs", tx -> store.covered(tx, BATCH));
        } while (!covered.isEmpty() && removeKeys(covered) && covered.size() == BATCH);
    }

    private boolean removeKeys(List<ErasureStore.Covered> covered) {
        return keys.remove(covered.stream().map(ErasureStore.Covered::key).toList(), tx -> {
            store.uncover(tx, covered);
            crashPoints.reached(ErasureCrashPoint.REMOVING_KEYS);
        });
    }

    @Override
    public void close() {
        loop.end();
        loop.awaitEnd(STOPPING);
    }
}
