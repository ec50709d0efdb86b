package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Lets processes on one database wake each other. A ring is a hint and nothing more: it may be lost, so whoever listens looks by
 * itself from time to time as well.
 *
 * <p>Rings go out after the fact and never inside a transaction of somebody's, because a NOTIFY makes commits wait for each
 * other; those that come close together go out as one. Thread-safe.
 */
public final class Wakeups implements AutoCloseable {

    private static final Pattern CHANNEL = Pattern.compile("[a-z_]{1,50}");
    private static final Duration LISTENING = Duration.ofMillis(50);
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
        this.ringer = Thread.ofPlatform().daemon().name("tally-ring").start(() -> keepOn(this::ringWhenWanted));
        this.listener = Thread.ofPlatform().daemon().name("tally-listen").start(() -> keepOn(this::listen));
    }

    /** Wakes the other processes, soon. */
    public void ring() {
        wanted.release();
    }

    /** Ends, and gives its connections back. */
    @Override
    public void close() {
        closed = true;
        wanted.release();
        try {
            ringer.join(LISTENING.multipliedBy(20));
            listener.join(LISTENING.multipliedBy(20));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Work on one connection until it breaks or everything ends. */
    private interface Session {
        void run(Connection connection) throws SQLException, InterruptedException;
    }

    private void keepOn(Session session) {
        for (int failures = 0; !closed; failures++) {
            try {
                Connection connection = database.connect("wake-ups");
                try {
                    session.run(connection);
                } catch (SQLException e) {
                    Database.discard(connection);
                    throw e;
                } finally {
                    Database.giveBack(connection);
                }
            } catch (SQLException | DefiniteFailureException e) {
                // A lost ring is made good by whoever looks by itself; the next connection listens again.
                database.backoff().pause(Math.min(failures + 1, 10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void ringWhenWanted(Connection connection) throws SQLException, InterruptedException {
        // A NOTIFY is a commit of its own. What may be lost need not wait for the disk, nor keep others from it.
        execute(connection, "set synchronous_commit = off");
        while (!closed) {
            if (wanted.tryAcquire(LISTENING.toMillis(), TimeUnit.MILLISECONDS)) {
                wanted.drainPermits();
                try (PreparedStatement statement = connection.prepareStatement("select pg_notify(?, ?)")) {
                    statement.setString(1, channel);
                    statement.setString(2, self);
                    statement.execute();
                }
                // Whatever is wanted in the meantime is one more ring, not many.
                LockSupport.parkNanos(BETWEEN_RINGS.toNanos());
            }
        }
        execute(connection, "reset synchronous_commit");
    }

    private void listen(Connection connection) throws SQLException {
        execute(connection, "listen " + channel);
        PGConnection postgres = connection.unwrap(PGConnection.class);
        while (!closed) {
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
