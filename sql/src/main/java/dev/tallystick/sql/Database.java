package dev.tallystick.sql;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.DefiniteFailureException.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Runs named transactions on a durable Postgres, at READ COMMITTED: correctness rests on locks, guards and unique keys.
 *
 * <p>A transaction that loses against a concurrent one (40001, 40P01) is run again, a bounded number of times. One whose COMMIT
 * is not answered is never run again here: only its caller knows whether its writes are guarded. Thread-safe.
 */
public final class Database {

    static final int MAX_ATTEMPTS = 10;

    private final DataSource source;
    private final CrashPoints crashPoints;
    private final Backoff backoff;

    /** A database on {@code source}, refused unless what it commits survives a power cut. */
    public static Database on(DataSource source) {
        return on(source, RandomGenerator.getDefault(), CrashPoints.NONE);
    }

    public static Database on(DataSource source, RandomGenerator random, CrashPoints crashPoints) {
        Database database = new Database(source, random, crashPoints);
        database.demandDurability();
        return database;
    }

    /** Whether a Postgres that refuses a connection like this may grant it later although nothing is changed. */
    public static boolean mayLetInLater(SQLException refusal) {
        return SqlStates.reasonOf(refusal) != Reason.REFUSED;
    }

    private Database(DataSource source, RandomGenerator random, CrashPoints crashPoints) {
        this.source = source;
        this.crashPoints = crashPoints;
        this.backoff = new Backoff(Duration.ofMillis(2), Duration.ofMillis(250), random);
    }

    /**
     * Runs {@code work} in a transaction and commits it.
     *
     * @param name says in errors and logs what was being done
     * @throws DefiniteFailureException if nothing happened
     * @throws UnknownOutcomeException if nobody can tell
     */
    public <T extends @Nullable Object> T transact(String name, Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            Connection connection = connect(name);
            try {
                return transactOn(connection, name, work);
            } catch (DefiniteFailureException e) {
                if (e.reason() != Reason.CONFLICT || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            } finally {
                giveBack(connection);
            }
            backoff.pause(attempt);
        }
    }

    /** One attempt on a connection that the caller keeps. The connection may be broken afterwards if this throws. */
    <T extends @Nullable Object> T transactOn(Connection connection, String name, Work<T> work) {
        Done<T> done = run(connection, name, work);
        crashPoints.reached(SqlCrashPoint.BEFORE_COMMIT);
        commit(done.tx(), connection, name);
        crashPoints.reached(SqlCrashPoint.AFTER_COMMIT);
        return done.result();
    }

    /** What came of the work in a transaction that is to be committed. */
    private record Done<T extends @Nullable Object>(Tx tx, T result) {}

    Connection connect(String name) {
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw new DefiniteFailureException(
                    Reason.UNAVAILABLE, "no connection for '" + name + "': " + e.getMessage(), e);
        }
    }

    CrashPoints crashPoints() {
        return crashPoints;
    }

    Backoff backoff() {
        return backoff;
    }

    private static <T extends @Nullable Object> Done<T> run(Connection connection, String name, Work<T> work) {
        boolean done = false;
        try {
            connection.setAutoCommit(false);
            Tx tx = Tx.begun(connection);
            T result = work.run(tx);
            demandUnharmed(connection);
            done = true;
            return new Done<>(tx, result);
        } catch (SQLException e) {
            // COMMIT was never sent, so the server will roll back, whether or not it can still be told to.
            throw new DefiniteFailureException(
                    SqlStates.reasonOf(e), "'" + name + "' was rolled back: " + e.getMessage(), e);
        } finally {
            if (!done) {
                rollback(connection);
            }
        }
    }

    /** COMMIT of a transaction in which a statement has failed rolls back, and the driver reports success. */
    private static void demandUnharmed(Connection connection) throws SQLException {
        if (connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED) {
            throw new SQLException("a statement failed and its failure was ignored", SqlStates.IN_FAILED_TRANSACTION);
        }
    }

    private static void commit(Tx tx, Connection connection, String name) {
        try {
            tx.commit();
        } catch (SQLException e) {
            if (SqlStates.provesRollback(e)) {
                rollback(connection);
                throw new DefiniteFailureException(
                        SqlStates.reasonOf(e), "'" + name + "' was rolled back: " + e.getMessage(), e);
            }
            discard(connection);
            throw new UnknownOutcomeException(
                    "nobody knows whether '" + name + "' committed: repeat it under the same key", e);
        }
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            discard(connection);
        }
    }

    /** The outcome is decided by now; a connection that cannot be given back does not change it. */
    static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            discard(connection);
        }
    }

    /** A connection in an unknown state must not be used again; a pool drops one that is aborted. */
    static void discard(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // It is gone already, which is what was wanted.
        }
    }

    private void demandDurability() {
        List<String> off = transact("check durability", tx -> tx.query("""
                select name
                from pg_settings
                where name in ('fsync', 'full_page_writes', 'synchronous_commit')
                    and setting = 'off'
                order by name
                """, row -> row.getString("name")));
        if (!off.isEmpty()) {
            throw new NotDurableException(off);
        }
    }
}
