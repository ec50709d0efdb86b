package dev.tallystick.sql;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.DefiniteFailureException.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Runs named transactions on a durable Postgres, at READ COMMITTED: correctness relies on locks, guards and unique keys. Each
 * transaction sets its own isolation level and limits, regardless of the database and the pool, and every wait is bounded: see
 * {@link SessionLimits}.
 *
 * <p>A transaction that loses against a concurrent one (40001, 40P01) is retried a bounded number of times. A transaction
 * whose COMMIT gets no reply is never retried here: only its caller knows whether its writes are guarded. Thread-safe.
 */
public final class Database {

    static final int MAX_ATTEMPTS = 10;

    private static final Duration LOGIN = Duration.ofSeconds(30);

    private final DataSource source;
    private final CrashPoints crashPoints;
    private final Backoff backoff;
    private final SessionLimits own;
    private final SessionStore sessions;
    private final Statements statements;

    /**
     * A database on {@code source}; refuses one whose commits do not survive a power cut.
     *
     * @param source gets a login timeout if it has none
     */
    public static Database on(DataSource source) {
        return on(source, RandomGenerator.getDefault(), CrashPoints.NONE);
    }

    public static Database on(DataSource source, RandomGenerator random, CrashPoints crashPoints) {
        return on(source, random, crashPoints, SessionLimits.OWN);
    }

    /**
     * As {@link #on(DataSource)}, with other limits.
     *
     * @param own the default limits of transactions
     */
    public static Database on(DataSource source, RandomGenerator random, CrashPoints crashPoints, SessionLimits own) {
        limitLogin(source);
        Backoff backoff = new Backoff(Duration.ofMillis(2), Duration.ofMillis(250), random);
        Statements statements = new Statements(SchemaName.DEFAULT);
        Database asking = new Database(source, crashPoints, backoff, own, new SessionStore(false), statements);
        return new Database(source, crashPoints, backoff, own, new SessionStore(asking.demandDurability()), statements);
    }

    /** Whether Postgres may accept a connection later, without any change, after it refused one with this error. */
    public static boolean mayLetInLater(SQLException refusal) {
        return SqlStates.reasonOf(refusal) != Reason.REFUSED;
    }

    private Database(
            DataSource source,
            CrashPoints crashPoints,
            Backoff backoff,
            SessionLimits own,
            SessionStore sessions,
            Statements statements) {
        this.source = source;
        this.crashPoints = crashPoints;
        this.backoff = backoff;
        this.own = own;
        this.sessions = sessions;
        this.statements = statements;
    }

    /** The same database, with our tables in this schema. */
    public Database in(SchemaName schema) {
        return new Database(source, crashPoints, backoff, own, sessions, new Statements(schema));
    }

    SchemaName schema() {
        return statements.schema();
    }

    /** The transaction that is open on {@code connection}; the caller began it and ends it. */
    public Tx join(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalArgumentException(
                    "the connection has auto-commit on, so each statement would commit separately:"
                            + " call setAutoCommit(false) first, and commit() at the end");
        }
        return Tx.joined(connection, statements);
    }

    /** For statements that commit on their own. */
    Tx autoCommitting(Connection connection) throws SQLException {
        return Tx.joined(connection, statements);
    }

    private static void limitLogin(DataSource source) {
        try {
            if (source.getLoginTimeout() == 0) {
                source.setLoginTimeout(Math.toIntExact(LOGIN.toSeconds()));
            }
        } catch (SQLException | UnsupportedOperationException e) {
            // The owner of the connection has set its own limits.
        }
    }

    /**
     * Runs {@code work} in a transaction and commits it.
     *
     * @param name names the transaction in errors and logs
     * @throws DefiniteFailureException if nothing happened
     * @throws UnknownOutcomeException if it is unknown whether it committed
     */
    public <T extends @Nullable Object> T transact(String name, Work<T> work) {
        return transact(name, own, work);
    }

    /** As {@link #transact(String, Work)}, with other limits. */
    public <T extends @Nullable Object> T transact(String name, SessionLimits limits, Work<T> work) {
        return transact(name, limits, opening(sessions.opening(limits), limits), work);
    }

    /**
     * Runs {@code work} in a transaction that cannot write. Its outcome is never unknown: there is nothing to commit. If the
     * session is lost, as happens to a process that was stopped for a while, the work runs once more on another one.
     *
     * @throws DefiniteFailureException if there is no answer
     */
    public <T extends @Nullable Object> T read(String name, Work<T> work) {
        return read(name, own, opening(sessions.openingOfRead(own), own), work);
    }

    /** As {@link #read}, of the database as of one moment, however many statements that takes. */
    public <T extends @Nullable Object> T readSnapshot(String name, SessionLimits limits, Work<T> work) {
        return read(name, limits, opening(sessions.openingOfSnapshot(limits), limits), work);
    }

    private <T extends @Nullable Object> T read(String name, SessionLimits limits, Opening opening, Work<T> work) {
        try {
            return transact(name, limits, opening, work);
        } catch (UnknownOutcomeException e) {
            return readAgain(name, work);
        } catch (DefiniteFailureException e) {
            if (!SqlStates.blamesSession(e)) {
                throw e;
            }
            return readAgain(name, work);
        }
    }

    private <T extends @Nullable Object> T readAgain(String name, Work<T> work) {
        try {
            return transact(name, own, opening(sessions.openingOfRead(own), own), work);
        } catch (UnknownOutcomeException e) {
            throw new DefiniteFailureException(Reason.UNAVAILABLE, "the database did not answer '" + name + "'", e);
        }
    }

    private <T extends @Nullable Object> T transact(String name, SessionLimits limits, Opening opening, Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            try (Session session = session(name, false, limits)) {
                return transactOn(session, name, opening, work);
            } catch (DefiniteFailureException e) {
                if (e.reason() != Reason.CONFLICT || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            }
            backoff.pause(attempt);
        }
    }

    /** One attempt on a session that the caller keeps. If this throws, the session may be broken. */
    <T extends @Nullable Object> T transactOn(Session session, String name, Opening opening, Work<T> work) {
        Connection connection = session.connection();
        Done<T> done = run(connection, name, opening, work);
        crashPoints.reached(SqlCrashPoint.BEFORE_COMMIT);
        commit(done.tx(), connection, name);
        crashPoints.reached(SqlCrashPoint.AFTER_COMMIT);
        return done.result();
    }

    /** The result of the work in a transaction that is about to commit. */
    private record Done<T extends @Nullable Object>(Tx tx, T result) {}

    /** A session for our own statements. */
    Session session(String name, boolean autoCommit) {
        return session(name, autoCommit, own);
    }

    private Session session(String name, boolean autoCommit, SessionLimits limits) {
        Connection connection = connect(name);
        try {
            return Session.begin(connection, autoCommit, limits.silence());
        } catch (SQLException e) {
            Connections.discard(connection);
            Connections.giveBack(connection);
            throw noConnection(name, e);
        }
    }

    private Connection connect(String name) {
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw noConnection(name, e);
        }
    }

    private static DefiniteFailureException noConnection(String name, SQLException e) {
        return new DefiniteFailureException(
                Reason.UNAVAILABLE, "no connection for '" + name + "': " + e.getMessage(), e);
    }

    /**
     * A session for batches.
     *
     * @param hasty how long most batches wait for a lock
     * @param patient how long the others do
     */
    BatchSession sessionForBatches(String name, Duration hasty, Duration patient) {
        Session session = session(name, false);
        try {
            Map<String, String> before = betweenTransactions(
                    session,
                    tx -> SessionStore.isOurs(tx, session.connection())
                            ? sessions.keepForBatches(tx, own, hasty)
                            : Map.of());
            return before.isEmpty()
                    ? new BatchSession(session, () -> {}, openingOfBatch(hasty), openingOfBatch(patient))
                    : new BatchSession(
                            session,
                            () -> restore(session, before),
                            opening("", own),
                            opening(SessionStore.lockWait(patient), own));
        } catch (SQLException e) {
            Connections.discard(session.connection());
            session.close();
            throw noConnection(name, e);
        } catch (RuntimeException | Error e) {
            Connections.discard(session.connection());
            session.close();
            throw e;
        }
    }

    /** Runs statements that each commit on their own. */
    private <T> T betweenTransactions(Session session, Work<T> work) throws SQLException {
        session.setAutoCommit(true);
        T result = work.run(autoCommitting(session.connection()));
        session.setAutoCommit(false);
        return result;
    }

    private Opening openingOfBatch(Duration lockWait) {
        return opening(sessions.openingOfBatch(own, lockWait), own);
    }

    /** Restores the settings of a session; if that fails, the session is lost. */
    private void restore(Session session, Map<String, String> settings) {
        try {
            if (!session.connection().isClosed()) {
                betweenTransactions(session, tx -> {
                    SessionStore.keep(tx, settings);
                    return true;
                });
            }
        } catch (SQLException e) {
            Connections.discard(session.connection());
        }
    }

    private Opening opening(String sql, SessionLimits limits) {
        return new Opening(sql, sessions.change(own), limits.silence(), own.silence());
    }

    CrashPoints crashPoints() {
        return crashPoints;
    }

    Backoff backoff() {
        return backoff;
    }

    // COMMIT was never sent, so after a failure the server rolls back, even if our ROLLBACK cannot reach it.
    private <T extends @Nullable Object> Done<T> run(
            Connection connection, String name, Opening opening, Work<T> work) {
        boolean done = false;
        boolean fit = true;
        try {
            Tx tx = Tx.begun(connection, statements, opening);
            T result = work.run(tx);
            demandUnharmed(connection);
            done = true;
            return new Done<>(tx, result);
        } catch (SQLException e) {
            fit = !SqlStates.blamesSession(e);
            throw rolledBack(name, SqlStates.reasonOf(e), e);
        } catch (RuntimeException e) {
            // User code wraps the exceptions of its statements.
            fit = !SqlStates.blamesSession(e);
            if (!fit) {
                throw rolledBack(name, Reason.UNAVAILABLE, e);
            }
            throw e;
        } finally {
            if (!fit) {
                Connections.discard(connection);
            } else if (!done) {
                rollback(connection);
            }
        }
    }

    private static DefiniteFailureException rolledBack(String name, Reason reason, Exception e) {
        return new DefiniteFailureException(reason, "'" + name + "' was rolled back: " + e.getMessage(), e);
    }

    /** If a statement has failed, COMMIT rolls back and the driver reports success. */
    private static void demandUnharmed(Connection connection) throws SQLException {
        if (connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED) {
            throw new SQLException("a statement failed and its failure was ignored", SqlStates.IN_FAILED_TRANSACTION);
        }
    }

    private static void commit(Tx tx, Connection connection, String name) {
        try {
            tx.commit();
        } catch (SQLException e) {
            if (SqlStates.provesRollback(e, connection)) {
                if (SqlStates.blamesSession(e)) {
                    Connections.discard(connection);
                } else {
                    rollback(connection);
                }
                throw rolledBack(name, SqlStates.reasonOf(e), e);
            }
            Connections.discard(connection);
            throw new UnknownOutcomeException(
                    "it is unknown whether '" + name + "' committed: repeat it under the same key", e);
        }
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            Connections.discard(connection);
        }
    }

    /** The result of {@link SessionStore#watchesClients}. */
    private boolean demandDurability() {
        return transact("check durability", tx -> {
            List<String> off = SessionStore.undurable(tx);
            if (!off.isEmpty()) {
                throw new NotDurableException(off);
            }
            return SessionStore.watchesClients(tx);
        });
    }
}
