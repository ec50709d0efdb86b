package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets processes on one database wake each other. A ring is a hint and nothing more: it may be lost, so whoever listens looks by
 * itself from time to time as well.
 *
 * <p>Rings go out after the fact and never inside a transaction of somebody's, because a NOTIFY makes commits wait for each
 * other; those that come close together go out as one. To listen takes a connection for good, to ring only for the moment. Behind
 * a pooler that gives sessions to others between transactions nobody can listen, and nobody does.
 * Thread-safe.
 */
public final class Wakeups implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Wakeups.class);

    private static final Pattern CHANNEL = Pattern.compile("[a-z_]{1,50}");
    private static final Duration LISTENING = Duration.ofMillis(50);

    /** A listener hears nothing from a server that is gone, as from one that has nothing to say: so it asks now and then. */
    private static final Duration BETWEEN_QUESTIONS = Duration.ofSeconds(5);

    private static final Duration BETWEEN_RINGS = Duration.ofMillis(2);

    private final Database database;
    private final String channel;
    private final Runnable woken;
    private final String self;
    private final Semaphore wanted = new Semaphore(0);
    private final Thread ringer;
    private final Thread listener;
    private volatile boolean closed;

    /**
     * Listens from now on.
     *
     * @param channel what the processes have agreed upon
     * @param self what tells this process from the others, so that it does not wake itself
     * @param woken called when another process rings; short, for further rings wait meanwhile
     */
    public Wakeups(Database database, String channel, String self, Runnable woken) {
        if (!CHANNEL.matcher(channel).matches()) {
            throw new IllegalArgumentException("a channel is named with small letters and '_', not '" + channel + "'");
        }
        this.database = database;
        this.channel = channel;
        this.self = self;
        this.woken = woken;
        this.ringer = thread("tally-ring", this::ringWhenWanted);
        this.listener = thread("tally-listen", this::listen);
    }

    /** Wakes the other processes, soon. */
    public void ring() {
        wanted.release();
    }

    /** Whether another process can wake this one. */
    boolean isListening() {
        return listener.isAlive();
    }

    /** Ends, and gives its connection back. */
    @Override
    public void close() {
        closed = true;
        // The last ring, which lets our own listener go.
        wanted.release();
        try {
            ringer.join(LISTENING.multipliedBy(20));
            listener.join(LISTENING.multipliedBy(20));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Work on a connection, which is broken if this throws. */
    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    /** What a thread does over and over. */
    private interface Turn {
        /** Returns whether there is to be another one. */
        boolean take() throws SQLException, InterruptedException;
    }

    private Thread thread(String name, Turn turn) {
        return Thread.ofPlatform().daemon().name(name).start(() -> LastingThreads.last(() -> keepOn(turn)));
    }

    private void keepOn(Turn turn) {
        int failures = 0;
        boolean more = true;
        while (more && !closed) {
            try {
                more = turn.take();
                failures = 0;
            } catch (SQLException | DefiniteFailureException e) {
                // A lost ring is made good by whoever looks by itself; the next connection listens again.
                failures = Math.min(failures + 1, 10);
                database.backoff().pause(failures);
            } catch (Throwable e) {
                LOG.error("{} failed and starts over", Thread.currentThread().getName(), e);
                failures = Math.min(failures + 1, 10);
                database.backoff().pause(failures);
            }
        }
    }

    private void connected(Use use) throws SQLException {
        // Outside of transactions: inside of one, rings neither go out nor come in.
        try (Session session = database.session("wake-ups", true)) {
            try {
                use.of(session.connection());
            } catch (Throwable e) {
                Database.discard(session.connection());
                throw e;
            }
        }
    }

    private boolean ringWhenWanted() throws SQLException, InterruptedException {
        wanted.acquire();
        wanted.drainPermits();
        connected(this::notifyAllOfThem);
        // Whatever is wanted in the meantime is one more ring, not many.
        LockSupport.parkNanos(BETWEEN_RINGS.toNanos());
        return true;
    }

    /** A NOTIFY is a commit of its own. What may be lost need not wait for the disk, nor keep others from it. */
    private void notifyAllOfThem(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select set_config('synchronous_commit', 'off', true), pg_notify(?, ?)")) {
            statement.setString(1, channel);
            statement.setString(2, self);
            statement.execute();
        }
    }

    private boolean listen() throws SQLException {
        AtomicBoolean sessionIsOurs = new AtomicBoolean();
        connected(connection -> {
            sessionIsOurs.set(SessionStore.isOurs(database.autoCommitting(connection), connection));
            if (sessionIsOurs.get()) {
                listenOn(connection);
            }
        });
        if (!sessionIsOurs.get()) {
            LOG.info("a pooler is between us and Postgres: processes do not wake each other, and look by themselves");
        }
        return sessionIsOurs.get();
    }

    private void listenOn(Connection connection) throws SQLException {
        execute(connection, "listen " + channel);
        PGConnection postgres = connection.unwrap(PGConnection.class);
        long heard = System.nanoTime();
        while (!closed) {
            if (System.nanoTime() - heard > BETWEEN_QUESTIONS.toNanos()) {
                SessionStore.demandAnswer(database.autoCommitting(connection));
                heard = System.nanoTime();
            }
            PGNotification @Nullable [] rings = postgres.getNotifications((int) LISTENING.toMillis());
            if (rings != null && !closed && anotherRang(rings)) {
                woken.run();
            }
        }
        execute(connection, "unlisten " + channel);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private boolean anotherRang(PGNotification[] rings) {
        for (PGNotification ring : rings) {
            if (!ring.getParameter().equals(self)) {
                return true;
            }
        }
        return false;
    }
}
