package dev.tallystick.daemon.outbox;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.daemon.storage.CommitMark;
import dev.tallystick.daemon.storage.GroupWriter;
import dev.tallystick.daemon.storage.StorageFile;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The outbox of one daemon. Concurrent callers share commits; every answer is true on disk when it is given. Thread-safe.
 *
 * <p>Rows that were in flight when the process ended wait again after it is opened: their outcome is unknown, and sending them
 * again under the same key reveals it.
 */
public final class Outbox implements AutoCloseable {

    public static final String FILE = "outbox.db";

    /** Counts the commits: while it is there, so is {@link #FILE}. */
    public static final String MARK = "outbox.mark";

    /** No attempt is put off for longer. A later one means that the clock was set back. */
    public static final Duration LONGEST_REST = Duration.ofHours(1);

    private static final List<String> MIGRATIONS = List.of("001-outbox.sql", "002-commits.sql");
    private static final String OPERATOR = "operator";
    private static final int EXAMINED_AT_ONCE = 500;
    private static final int MEASURED_TIMES = 500;

    private final OutboxSettings settings;
    private final InstantSource clock;
    private final Ids ids;
    private final CrashPoints crashPoints;
    private final GroupWriter writer;
    private final OutboxStore written;
    private final Connection reading;
    private final OutboxQueryStore read;
    private final ReentrantLock readLock = new ReentrantLock();

    /** Only the writing thread changes these. */
    private volatile long usedBytes;

    private long unmeasuredBytes;

    private Outbox(
            StorageFile file,
            Path mark,
            OutboxSettings settings,
            InstantSource clock,
            Ids ids,
            CrashPoints crashPoints) {
        this.settings = settings;
        this.clock = clock;
        this.ids = ids;
        this.crashPoints = crashPoints;
        Connection writing = file.open();
        this.writer = new GroupWriter("outbox", writing, CommitMark.open(mark, writing));
        this.written = new OutboxStore(writing);
        this.reading = file.open();
        this.read = new OutboxQueryStore(reading);
    }

    /**
     * Opens the outbox in a directory, or creates it. The caller holds the lock of the directory.
     *
     * @throws dev.tallystick.daemon.storage.StorageException if it is damaged, too new, or cannot be written
     */
    public static Outbox open(
            Path directory, OutboxSettings settings, InstantSource clock, Ids ids, CrashPoints crashPoints) {
        StorageFile file = file(directory);
        Path mark = directory.resolve(MARK);
        file.prepare(connection -> CommitMark.verify(mark, connection));
        Outbox outbox = new Outbox(file, mark, settings, clock, ids, crashPoints);
        try {
            int unused = outbox.writer.write(() -> {
                outbox.measure();
                return outbox.written.recover();
            });
            return outbox;
        } catch (RuntimeException e) {
            outbox.close();
            throw e;
        }
    }

    static StorageFile file(Path directory) {
        return new StorageFile(directory.resolve(FILE), Outbox.class, MIGRATIONS);
    }

    /** A key for a caller that brings none. */
    public IdempotencyKey newKey() {
        return new IdempotencyKey(ids.nextUlid().toString());
    }

    /** Accepts a send, or says what became of an earlier one with the same key. */
    public Acceptance accept(NewRow row) {
        crashPoints.reached(OutboxCrashPoint.BEFORE_INSERT);
        OutboxStore.Columns columns = columns(row);
        Acceptance acceptance = writer.write(() -> {
            if (!isFull() && insert(columns)) {
                crashPoints.reached(OutboxCrashPoint.INSERTED_NOT_COMMITTED);
                return new Acceptance.Queued(row.key());
            }
            Optional<OutboxStore.Bound> bound = written.find(row.key());
            return bound.isPresent() ? repeated(row, bound.get()) : new Acceptance.Full(row.key());
        });
        crashPoints.reached(OutboxCrashPoint.INSERT_COMMITTED);
        return acceptance;
    }

    private OutboxStore.Columns columns(NewRow row) {
        return OutboxStore.Columns.of(ids.nextUlid().toString(), row);
    }

    /** Whether the key was free. */
    private boolean insert(OutboxStore.Columns columns) throws SQLException {
        boolean isNew = written.insert(columns, clock.instant());
        unmeasuredBytes += isNew ? columns.payload().length : 0;
        if (unmeasuredBytes > settings.maxBytes() / MEASURED_TIMES) {
            measure();
        }
        return isNew;
    }

    private void measure() throws SQLException {
        usedBytes = written.usedBytes();
        unmeasuredBytes = 0;
    }

    /** The document's table: each state, with the same fingerprint and with another. */
    private static Acceptance repeated(NewRow row, OutboxStore.Bound bound) {
        boolean matches = bound.fingerprint().equals(row.fingerprint());
        return switch (bound.state()) {
            case PENDING -> matches ? new Acceptance.Queued(row.key()) : conflict(row, bound, null);
            case INFLIGHT -> matches ? new Acceptance.Inflight(row.key()) : conflict(row, bound, null);
            case DONE ->
                matches
                        ? new Acceptance.Duplicate(
                                row.key(), String.valueOf(bound.brokerMessageId()), bound.historyId())
                        : conflict(row, bound, null);
            case DEAD -> conflict(row, bound, matches ? String.valueOf(bound.lastError()) : null);
            case ABORTED -> conflict(row, bound, null);
        };
    }

    private static Acceptance conflict(NewRow row, OutboxStore.Bound bound, @Nullable String reason) {
        return new Acceptance.Conflict(
                row.key(),
                bound.state(),
                bound.fingerprint().equals(row.fingerprint()),
                bound.fingerprint().prefix(),
                row.fingerprint().prefix(),
                bound.brokerMessageId(),
                reason);
    }

    /** Up to so many destinations that have rows to send, as stored, in their order. */
    public List<String> destinations(String after, int limit) {
        return reading(store -> store.destinations(after, limit));
    }

    /**
     * Takes the first rows of a destination to send them. They are in flight when this returns; the rows say what was true
     * before.
     *
     * @param onlyDue whether to leave out those whose next attempt is not due
     * @param maxBytes of their payloads; a single one may have more
     */
    public List<OutboxRow> take(String destination, boolean onlyDue, int limit, int maxBytes) {
        return writer.write(() -> {
            Instant now = clock.instant();
            List<OutboxRow> rows = written.next(destination, onlyDue ? now : null, limit, maxBytes);
            for (OutboxRow row : rows) {
                written.take(row, now);
            }
            return rows;
        });
    }

    /** Records how rows stopped being in flight, all in one transaction. */
    public void settle(List<Settlement> settlements) {
        crashPoints.reached(OutboxCrashPoint.BEFORE_SETTLING);
        int unused = writer.write(() -> {
            Instant now = clock.instant();
            for (Settlement each : settlements) {
                switch (each) {
                    case Settlement.Delivered delivered -> written.delivered(delivered, now);
                    case Settlement.Dead dead -> written.dead(dead);
                    case Settlement.Released released -> written.released(released);
                }
            }
            crashPoints.reached(OutboxCrashPoint.SETTLED_NOT_COMMITTED);
            return settlements.size();
        });
        crashPoints.reached(OutboxCrashPoint.SETTLEMENT_COMMITTED);
    }

    /** Gives the content of a row a new row with a new key, in one transaction. The old key is never free again. */
    public Requeue requeue(Requeue.Wish wish) {
        crashPoints.reached(OutboxCrashPoint.BEFORE_REQUEUE);
        Requeue outcome = writer.write(() -> {
            Optional<OutboxRow> old = written.byId(wish.row());
            return old.isPresent() ? requeued(old.get(), wish) : new Requeue.NotFound();
        });
        crashPoints.reached(OutboxCrashPoint.REQUEUE_COMMITTED);
        return outcome;
    }

    private Requeue requeued(OutboxRow old, Requeue.Wish wish) throws SQLException {
        if (old.state() != OutboxState.PENDING && old.state() != OutboxState.DEAD) {
            return new Requeue.WrongState(old.state());
        }
        if (old.mayHaveArrived() && !wish.force()) {
            return new Requeue.MayHaveArrived(old.state());
        }
        OutboxRow.Content content = old.content();
        if (wish.patched() == null && (old.isDamaged() || content == null)) {
            return new Requeue.Damaged();
        }
        Optional<OutboxStore.Bound> used = written.find(wish.key());
        if (used.isPresent()) {
            return new Requeue.KeyUsed(wish.key(), used.get().state());
        }
        if (isFull()) {
            return new Requeue.Full();
        }
        NewRow successor = wish.patched() != null || content == null
                ? patched(wish)
                : new NewRow(wish.key(), old.fingerprint(), old.to(), content);
        OutboxStore.Columns columns = columns(successor);
        boolean unused = insert(columns);
        written.abort(old, OPERATOR, columns.id(), clock.instant());
        crashPoints.reached(OutboxCrashPoint.REQUEUED_NOT_COMMITTED);
        return new Requeue.Requeued(columns.id(), wish.key());
    }

    private static NewRow patched(Requeue.Wish wish) {
        NewRow patched = wish.patched();
        if (patched == null) {
            throw new IllegalStateException("a row without content needs a patch");
        }
        return patched.under(wish.key());
    }

    public Optional<OutboxRow> find(String id) {
        return reading(store -> store.byId(id));
    }

    public Optional<OutboxRow> findByKey(IdempotencyKey key) {
        return reading(store -> store.byKey(key));
    }

    /** The rows that have had the same content: from the first one, through each requeue, to the last. */
    public List<OutboxRow> chain(OutboxRow row) {
        return reading(store -> {
            List<OutboxRow> chain = new ArrayList<>();
            for (Optional<OutboxRow> before = store.replacedBy(row.id());
                    before.isPresent();
                    before = store.replacedBy(before.get().id())) {
                chain.add(before.get());
            }
            Collections.reverse(chain);
            chain.add(row);
            for (String next = row.supersededBy();
                    next != null;
                    next = chain.getLast().supersededBy()) {
                Optional<OutboxRow> successor = store.byId(next);
                if (successor.isEmpty()) {
                    break;
                }
                chain.add(successor.get());
            }
            return chain;
        });
    }

    /** Rows in the order of acceptance; {@code state} null for all. */
    public List<OutboxRow> list(@Nullable OutboxState state, long after, int limit) {
        return reading(store -> store.list(state, after, limit));
    }

    /** How many rows are pending, in flight and dead. */
    public Map<OutboxState, Long> counts() {
        return reading(OutboxQueryStore::counts);
    }

    /** When the oldest row was accepted that is pending or in flight. */
    public Optional<Instant> oldest() {
        return reading(OutboxQueryStore::oldest);
    }

    /** The size of what is in the file. */
    public long usedBytes() {
        return usedBytes;
    }

    public boolean isNearlyFull() {
        return settings.isWorrying(usedBytes);
    }

    public boolean isFull() {
        return settings.isFull(usedBytes);
    }

    /**
     * Drops the payloads that nothing needs any more; those of dead rows are never dropped. If the outbox is nearly full, this
     * drops all of them at once, and gives their space back. Otherwise it works through the rows in small pieces.
     *
     * @param rest called after each piece with the time it took, to leave the file to others; false ends the work
     */
    public int dropPayloads(Predicate<Duration> rest) {
        Instant now = clock.instant();
        boolean isUrgent = isNearlyFull();
        Instant settledBy = isUrgent ? now : now.minus(settings.payloadKept());
        long last = reading(OutboxQueryStore::lastPosition);
        int dropped = 0;
        boolean goesOn = true;
        for (long after = 0; after < last && goesOn; after += EXAMINED_AT_ONCE) {
            long begun = System.nanoTime();
            dropped += dropBetween(after, after + EXAMINED_AT_ONCE, settledBy, now);
            goesOn = isUrgent || rest.test(Duration.ofNanos(System.nanoTime() - begun));
        }
        if (isUrgent && dropped > 0) {
            compact();
        }
        return dropped;
    }

    private int dropBetween(long after, long upTo, Instant settledBy, Instant now) {
        List<Long> positions = reading(store -> store.droppable(after, upTo, settledBy));
        if (!positions.isEmpty()) {
            drop(positions, now);
        }
        return positions.size();
    }

    private void drop(List<Long> positions, Instant now) {
        int unused = writer.write(() -> {
            for (long position : positions) {
                written.drop(position, now);
            }
            return positions.size();
        });
    }

    /** A dropped payload leaves a hole in its page, which no other row fills. */
    private void compact() {
        int unused = writer.alone(() -> {
            written.compact();
            measure();
            return 0;
        });
    }

    /** A remembered fact about the server. */
    public Optional<String> setting(String name) {
        return reading(store -> store.setting(name));
    }

    /** Remembers facts about the server, all or none. */
    public void remember(Map<String, String> facts) {
        int unused = writer.write(() -> {
            for (Map.Entry<String, String> fact : facts.entrySet()) {
                written.set(fact.getKey(), fact.getValue());
            }
            return facts.size();
        });
    }

    private interface Query<T> {
        T on(OutboxQueryStore store) throws SQLException;
    }

    private <T> T reading(Query<T> query) {
        readLock.lock();
        try {
            return query.on(read);
        } catch (SQLException e) {
            throw StorageFile.failure("cannot read the outbox", e);
        } finally {
            readLock.unlock();
        }
    }

    @Override
    public void close() {
        readLock.lock();
        try {
            read.close();
            reading.close();
        } catch (SQLException e) {
            throw StorageFile.failure("cannot close the outbox", e);
        } finally {
            readLock.unlock();
            writer.close();
        }
    }
}
