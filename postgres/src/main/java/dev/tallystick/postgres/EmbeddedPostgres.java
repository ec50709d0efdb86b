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
 * A private Postgres server in its own directory.
 *
 * <pre>{@code
 * try (EmbeddedPostgres postgres = EmbeddedPostgres.at(directory).start()) {
 *     use(postgres.dataSource());
 * }
 * }</pre>
 *
 * <p>Acknowledged data is on disk. Access requires the password, which is in a file that only the owner can read. One process
 * owns a directory at a time. If that process is killed, the server keeps running, and the next owner adopts it with all its
 * data. If the server is killed, it is restarted on the same port, and pools reconnect.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedPostgres implements AutoCloseable {

    /** The default pool size. */
    public static final int DEFAULT_CONNECTIONS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);

    private static final Duration ROUND = Duration.ofSeconds(1);

    /** How many rounds in a row may fail before we give up on a server. */
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

    /** A permanent server: {@code directory} is created if necessary, and closed to other users. */
    public static EmbeddedPostgresBuilder at(Path directory) {
        return new EmbeddedPostgresBuilder(directory);
    }

    /** A server for tests, just as durable, in a directory that is deleted on close. */
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

    /** The result of the builder: a directory that we own and the server that runs in it. */
    record Parts(Layout layout, boolean temporary, DirectoryLock lock, Startup startup, Login login, Server server) {}

    // Not in the constructor: both publish this object to other threads.
    EmbeddedPostgres watched() {
        if (shutdownHook != null) {
            Runtime.getRuntime().addShutdownHook(shutdownHook);
        }
        caretaker.start();
        return this;
    }

    /** A pool of {@link #DEFAULT_CONNECTIONS}, the same one on every call. */
    public HikariDataSource dataSource() {
        synchronized (monitor) {
            if (sharedPool == null) {
                sharedPool = dataSource(DEFAULT_CONNECTIONS);
            }
            return sharedPool;
        }
    }

    /** A new pool; it is closed with the server, if not before. */
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

    /** Creates a database unless it exists. */
    public void createDatabase(String name) throws SQLException {
        new CatalogStore(login.unpooled(Login.DATABASE)).createDatabase(name);
    }

    /** Without user and password; use {@link #user} and {@link #password}. */
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

    /** Only the owner can read the file and its directory. */
    public Path passwordFile() {
        return layout.passwordFile();
    }

    /** On 127.0.0.1, constant until closed. */
    public int port() {
        return login.port();
    }

    /** The server's current process; it changes when the server is restarted. */
    public long pid() {
        return server.process().pid();
    }

    public Path directory() {
        return layout.root();
    }

    public Path logFile() {
        return layout.logFile();
    }

    /** Whether the server was already running, left by an owner that was killed. */
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
            // The shutdown hook runs, or has run, and finds the server closed.
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

    /** The caretaker's round: bounds the log, and restarts a server that was killed. */
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
                    "The server in {} is unhealthy (round {} of {})",
                    layout.root(),
                    failedRounds,
                    FAILED_ROUNDS,
                    failure);
        }
    }

    // On the same port, because clients know it.
    private void revive() throws IOException {
        LOG.warn("Server {} in {} has died; restarting it", pid(), layout.root());
        Server revived = startup.start(login.password(), login::port);
        startup.requireDurable(revived, login.password());
        server = revived;
    }
}
