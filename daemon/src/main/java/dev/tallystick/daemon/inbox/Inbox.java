package dev.tallystick.daemon.inbox;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.daemon.storage.GroupWriter;
import dev.tallystick.daemon.storage.StorageException;
import dev.tallystick.daemon.storage.StorageFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The inbox of one daemon. Thread-safe. */
public final class Inbox implements AutoCloseable {

    public static final String FILE = "inbox.db";

    static final JsonLimits LIMITS = new JsonLimits(64 * 1024 * 1024, JsonLimits.GREATEST_DEPTH);

    private static final List<String> MIGRATIONS = List.of("001-inbox.sql");
    private static final String DAMAGED = ".damaged-";
    private static final Pattern SET_ASIDE = Pattern.compile(Pattern.quote(FILE + DAMAGED) + "([0-9]{1,15})");
    private static final List<String> JOURNALS = List.of("", "-wal", "-shm");
    private static final Duration KEPT = Duration.ofDays(30);
    private static final int FORGOTTEN_AT_ONCE = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    private final InstantSource clock;
    private final CrashPoints crashPoints;
    private final GroupWriter writer;
    private final InboxStore written;
    private final Connection reading;
    private final InboxStore read;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private long newest;

    private Inbox(StorageFile file, InstantSource clock, CrashPoints crashPoints) {
        this.clock = clock;
        this.crashPoints = crashPoints;
        Connection writing = file.open();
        this.writer = new GroupWriter("inbox", writing, null);
        this.written = new InboxStore(writing);
        this.reading = file.open();
        this.read = new InboxStore(reading);
        this.newest = reading(InboxStore::last);
    }

    /** Opens the inbox in a directory, or creates it. A damaged one is set aside: the server still has what matters. */
    public static Inbox open(Path directory, InstantSource clock, CrashPoints crashPoints) {
        StorageFile file = new StorageFile(directory.resolve(FILE), Inbox.class, MIGRATIONS);
        try {
            file.prepare();
        } catch (StorageException e) {
            if (e.kind() != StorageException.Kind.DAMAGED) {
                throw e;
            }
            setAside(directory, clock.instant(), e);
            file.prepare();
        }
        long before = lastSetAside(directory);
        Inbox inbox = new Inbox(file, clock, crashPoints);
        try {
            if (before > 0) {
                inbox.beginAfter(before);
            }
            return inbox;
        } catch (StorageException e) {
            inbox.close();
            throw e;
        }
    }

    /** In milliseconds since 1970: more than the events that the file had. 0 if none was set aside. */
    private static long lastSetAside(Path directory) {
        long last = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, FILE + DAMAGED + "*")) {
            for (Path file : files) {
                Matcher time = SET_ASIDE.matcher(file.getFileName().toString());
                last = time.matches() ? Math.max(last, Long.parseLong(time.group(1))) : last;
            }
        } catch (IOException e) {
            throw new StorageException(StorageException.Kind.UNAVAILABLE, "cannot list " + directory + ": " + e, e);
        }
        return last;
    }

    /** No position is given twice: a reader that had come further in the old file would skip what is new here. */
    private void beginAfter(long position) {
        int unused = writer.write(() -> {
            written.beginAfter(position);
            return 1;
        });
    }

    private static void setAside(Path directory, Instant now, StorageException why) {
        String suffix = DAMAGED + now.toEpochMilli();
        LOG.warn("{}; it is set aside as {}{}, and a new one begins", why.getMessage(), FILE, suffix);
        try {
            for (String journal : JOURNALS) {
                Path part = directory.resolve(FILE + journal);
                if (Files.exists(part)) {
                    Files.move(part, directory.resolve(FILE + suffix + journal), StandardCopyOption.ATOMIC_MOVE);
                }
            }
        } catch (IOException e) {
            throw new StorageException(
                    StorageException.Kind.UNAVAILABLE, "cannot set the damaged inbox aside: " + e, e);
        }
    }

    /** Something to keep. */
    public record NewEvent(InboxEvent.Kind kind, String subject, String data) {}

    /** Keeps events, each once. They are on disk when this returns. */
    public void add(List<NewEvent> events) {
        add(events, null, 0);
    }

    /** As {@link #add(List)}, and moves a cursor in the same transaction. */
    void add(List<NewEvent> events, @Nullable String cursor, long position) {
        crashPoints.reached(InboxCrashPoint.BEFORE_INSERT);
        long last = writer.write(() -> {
            Instant now = clock.instant();
            for (NewEvent each : events) {
                boolean unused = written.insert(each.kind(), each.subject(), now, each.data());
            }
            if (cursor != null) {
                written.move(cursor, position);
            }
            crashPoints.reached(InboxCrashPoint.INSERTED_NOT_COMMITTED);
            return written.last();
        });
        crashPoints.reached(InboxCrashPoint.INSERT_COMMITTED);
        lock.lock();
        try {
            newest = Math.max(newest, last);
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Events after a position, in their order; {@code kind} null for all. */
    public List<InboxEvent> after(long position, InboxEvent.@Nullable Kind kind, int limit) {
        return reading(store -> store.after(position, kind, limit));
    }

    /** Waits until there is an event after a position, or until the time is over. Whether there is one. */
    public boolean await(long position, Duration limit) throws InterruptedException {
        lock.lock();
        try {
            long left = limit.toNanos();
            while (newest <= position && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return newest > position;
        } finally {
            lock.unlock();
        }
    }

    /** The position of the newest event, which may be forgotten by now. */
    public long newest() {
        lock.lock();
        try {
            return newest;
        } finally {
            lock.unlock();
        }
    }

    /** How far a reader has come. */
    public long cursor(String name) {
        return reading(store -> store.cursor(name));
    }

    /** Remembers how far a reader has come. */
    public void move(String name, long position) {
        int unused = writer.write(() -> {
            written.move(name, position);
            return 1;
        });
    }

    /** Forgets old events. */
    public void forgetOld() {
        Instant before = clock.instant().minus(KEPT);
        int forgotten;
        do {
            forgotten = writer.write(() -> written.forget(before, FORGOTTEN_AT_ONCE));
        } while (forgotten == FORGOTTEN_AT_ONCE);
    }

    void acknowledged() {
        crashPoints.reached(InboxCrashPoint.ACKNOWLEDGED);
    }

    private interface Query<T> {
        T on(InboxStore store) throws SQLException;
    }

    private <T> T reading(Query<T> query) {
        lock.lock();
        try {
            return query.on(read);
        } catch (SQLException e) {
            throw StorageFile.failure("cannot read the inbox", e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            reading.close();
        } catch (SQLException e) {
            throw StorageFile.failure("cannot close the inbox", e);
        } finally {
            lock.unlock();
            writer.close();
        }
    }
}
