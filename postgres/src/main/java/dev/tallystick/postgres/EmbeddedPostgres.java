package dev.tallystick.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Postgres of our own, in a directory of its own.
 *
 * <pre>{@code
 * try (EmbeddedPostgres postgres = EmbeddedPostgres.at(directory).start()) {
 *     use(postgres.dataSource());
 * }
 * }</pre>
 *
 * <p>What it acknowledges is on disk. Nobody gets in without the password, which lies in a file for the owner alone. One
 * process owns a directory at a time. If that process is killed, the server goes on, and the next owner takes it over with
 * everything in it. If the server is killed, it is started again on the same port, and pools find back to it.
 *
 * <p>Safe for use by many threads.
 */
public final class EmbeddedPostgres implements AutoCloseable {

    /** The size of a pool for which none is given. */
    public static final int DEFAULT_CONNECTIONS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);

    private static final Duration ROUND = Duration.ofSeconds(1);

    /** Rounds in a row that may fail before a server that does not come back is given up. */
    private static final int FAILED_ROUNDS = 60;

    private final Object monitor = new Object();
    private final Layout layout;
    private final boolean temporary;
    private final DirectoryLock lock;
    private final Startup startup;
    private final Login login;
    private final List<HikariDataSource> pools = new ArrayList<>();
    private final Thread caretaker;
    private final @Nullable Thread shutdownHook;

    private volatile Server server;
    private @Nullable HikariDataSource sharedPool;
    private int failedRounds;
    private boolean closed;

    /** A server that stays: {@code directory} is created if need be, and closed to other users. */
    public static EmbeddedPostgresBuilder at(Path directory) {
        return new EmbeddedPostgresBuilder(directory);
    }

    /** A server for tests, just as durable, in a directory that is deleted when it is closed. */
    public static EmbeddedPostgresBuilder temporary() {
        return new EmbeddedPostgresBuilder(null);
    }

    EmbeddedPostgres(Parts parts, boolean stopAtExit) {
        this.layout = parts.layout;
        this.temporary = parts.temporary;
        this.lock = parts.lock;
        this.startup = parts.startup;
        this.login = parts.login;
        this.server = parts.server;
        this.shutdownHook = stopAtExit ? new Thread(this::closeAtExit, "tally-postgres-exit") : null;
        this.caretaker =
                Thread.ofPlatform().daemon().name("tally-postgres-caretaker").unstarted(this::lookAfter);
    }

    /** What the builder hands over: a directory that we own and the server that runs in it. */
    record Parts(Layout layout, boolean temporary, DirectoryLock lock, Startup startup, Login login, Server server) {}

    // Not in the constructor: both tell other threads of this object.
    EmbeddedPostgres watched() {
        if (shutdownHook != null) {
            Runtime.getRuntime().addShutdownHook(shutdownHook);
        }
        caretaker.start();
        return this;
    }

    /** A pool of {@link #DEFAULT_CONNECTIONS}, the same at every call. */
    public HikariDataSource dataSource() {
        synchronized (monitor) {
            if (sharedPool == null) {
                sharedPool = dataSource(DEFAULT_CONNECTIONS);
            }
            return sharedPool;
        }
    }

    /** A new pool; like every pool from here it is closed with the server, if not before. */
    public HikariDataSource dataSource(int maxConnections) {
        return dataSource(Login.DATABASE, maxConnections);
    }

    /** A new pool on another database, see {@link #createDatabase}. */
    public HikariDataSource dataSource(String database, int maxConnections) {
        synchronized (monitor) {
            if (closed) {
                throw new IllegalStateException("this server is closed");
            }
            HikariDataSource pool = new HikariDataSource(login.pool(database, maxConnections));
            pools.removeIf(HikariDataSource::isClosed);
            pools.add(pool);
            return pool;
        }
    }

    /** Every connection is a new session. */
    public DataSource unpooledDataSource() {
        return unpooledDataSource(Login.DATABASE);
    }

    public DataSource unpooledDataSource(String database) {
        return login.unpooled(database);
    }

    /** Creates a database unless there is one of that name. */
    public void createDatabase(String name) throws SQLException {
        new CatalogStore(login.unpooled(Login.DATABASE)).createDatabase(name);
    }

    /** Without user and password, which are {@link #user} and {@link #password}. */
    public String jdbcUrl() {
        return jdbcUrl(Login.DATABASE);
    }

    public String jdbcUrl(String database) {
        return login.url(database);
    }

    public String user() {
        return Login.USER;
    }

    public String password() {
        return login.password().value();
    }

    /** Readable by the owner alone, as is the directory around it. */
    public Path passwordFile() {
        return layout.passwordFile();
    }

    /** On 127.0.0.1, and the same until closed. */
    public int port() {
        return login.port();
    }

    /** The server's own process; another one after it was killed and came back. */
    public long pid() {
        return server.process().pid();
    }

    public Path directory() {
        return layout.root();
    }

    public Path logFile() {
        return layout.logFile();
    }

    /** Whether the server was running already, left by an owner that was killed. */
    public boolean adopted() {
        return server.adopted();
    }

    /** Closes all pools and stops the server; returns when it has ended. Later calls do nothing. */
    @Override
    public void close() {
        close(DirectoryLock::closeAndDelete);
        forgetShutdownHook();
    }

    private void closeAtExit() {
        close(DirectoryLock::deleteAfterExit);
    }

    private interface Deletion {
        void of(DirectoryLock directory) throws IOException;
    }

    private void close(Deletion deletion) {
        synchronized (monitor) {
            if (closed) {
                return;
            }
            closed = true;
            monitor.notifyAll();
            pools.forEach(HikariDataSource::close);
            try {
                if (temporary) {
                    server.drop();
                    deletion.of(lock);
                } else {
                    server.stop(Server.ORDERLY);
                    lock.close();
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    @Override
    public String toString() {
        return "EmbeddedPostgres[%s, port %d, process %d]".formatted(layout.root(), port(), pid());
    }

    private void forgetShutdownHook() {
        if (shutdownHook == null) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException exitingAlready) {
            // Then the hook runs, or has run, and finds the server closed.
        }
    }

    private void lookAfter() {
        synchronized (monitor) {
            try {
                while (!closed && failedRounds < FAILED_ROUNDS) {
                    monitor.wait(ROUND.toMillis());
                    goRound();
                }
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The caretaker's round: the log stays bounded, and a server that was killed is started again. */
    private void goRound() {
        if (closed) {
            return;
        }
        try {
            new ServerLog(layout.logFile()).trim();
            if (!server.isAlive()) {
                revive();
            }
            failedRounds = 0;
        } catch (IOException | RuntimeException failure) {
            failedRounds++;
            LOG.error(
                    "The server in {} needs help (round {} of {})",
                    layout.root(),
                    failedRounds,
                    FAILED_ROUNDS,
                    failure);
        }
    }

    // On the same port, for pools and others know it by that.
    private void revive() throws IOException {
        LOG.warn("Server {} in {} has died; starting it again", pid(), layout.root());
        Server revived = startup.start(login.password(), login::port);
        startup.requireDurable(revived, login.password());
        server = revived;
    }
}
