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
 * Lets processes on one database wake each other. A signal is only a hint: it may be lost, so listeners also poll from time to
 * time.
 *
 * <p>Signals go out after the fact and never inside a caller's transaction, because NOTIFY makes commits wait for each other;
 * signals close together are combined. Listening takes a permanent connection, signalling only a temporary one. Behind a
 * pooler that reassigns sessions between transactions, listening is impossible, so we do not try. Thread-safe.
 */
public final class Wakeups implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Wakeups.class);

    private static final Pattern CHANNEL = Pattern.compile("[a-z_]{1,50}");
    private static final Duration LISTENING = Duration.ofMillis(50);

    /** A dead server looks the same to a listener as a silent one, so it sends a query now and then. */
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
     * Starts to listen.
     *
     * @param channel the channel that the processes have agreed on
     * @param self identifies this process, so that it does not wake itself
     * @param woken called when another process signals; must be short, because further signals wait meanwhile
     */
    public Wakeups(Database database, String channel, String self, Runnable woken) {
        if (!CHANNEL.matcher(channel).matches()) {
            throw new IllegalArgumentException("a channel name has lower-case letters and '_', not '" + channel + "'");
        }
        this.database = database;
        this.channel = channel;
        this.self = self;
        this.woken = woken;
        this.ringer = thread("tally-ring", this::ringWhenWanted);
        this.listener = thread("tally-listen", this::listen);
    }

    /** Wakes the other processes soon. */
    public void ring() {
        wanted.release();
    }

    /** Whether another process can wake this one. */
    boolean isListening() {
        return listener.isAlive();
    }

    /** Stops, and returns its connection. */
    @Override
    public void close() {
        closed = true;
        // The last signal, which releases our own listener.
        wanted.release();
        try {
            ringer.join(LISTENING.multipliedBy(20));
            listener.join(LISTENING.multipliedBy(20));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Work on a connection; the connection is broken if this throws. */
    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    /** One turn of a thread's loop. */
    private interface Turn {
        /** Returns whether to run again. */
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
                // Polling makes up for a lost signal; the next connection listens again.
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
        // Outside of transactions: inside one, signals are neither sent nor received.
        try (Session session = database.session("wake-ups", true)) {
            try {
                use.of(session.connection());
            } catch (Throwable e) {
                Connections.discard(session.connection());
                throw e;
            }
        }
    }

    private boolean ringWhenWanted() throws SQLException, InterruptedException {
        wanted.acquire();
        wanted.drainPermits();
        connected(this::notifyAllOfThem);
        // All requests made in the meantime become one more signal.
        LockSupport.parkNanos(BETWEEN_RINGS.toNanos());
        return true;
    }

    /** A NOTIFY is its own commit. A signal that may be lost need not wait for the disk, nor make others wait. */
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
            LOG.info("a pooler is between us and Postgres: processes cannot wake each other, and poll instead");
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
