package dev.tallystick.postgres;

import dev.tallystick.core.CrashPoints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The configuration of a server; {@link #start} starts it. See {@link EmbeddedPostgres#at}. */
public final class EmbeddedPostgresBuilder {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgresBuilder.class);

    private final @Nullable Path directory;
    private Settings settings = Settings.defaults();
    private Path cache = Binaries.defaultCache(System.getenv());
    private Path temporaryParent = Path.of(System.getProperty("java.io.tmpdir"));
    private boolean stopAtExit = true;
    private IntSupplier ports = Ports::free;
    private CrashPoints crashPoints = CrashPoints.NONE;

    EmbeddedPostgresBuilder(@Nullable Path directory) {
        this.directory = directory;
    }

    /**
     * Overrides a setting of the server, by its name in {@code postgresql.conf}.
     *
     * @throws NotDurableException if acknowledged commits could then be lost
     * @throws IllegalArgumentException if it would expose the server to others, or is not a setting
     */
    public EmbeddedPostgresBuilder setting(String name, String value) {
        settings = settings.with(name, value);
        return this;
    }

    /**
     * The directory for the unpacked programs, shared by all servers; by default {@code TALLY_CACHE_DIR}, or the user's cache.
     */
    public EmbeddedPostgresBuilder cacheDirectory(Path cache) {
        this.cache = cache;
        return this;
    }

    /**
     * Leaves the server running at the end of the JVM unless it is closed. For programs with their own shutdown hook: all
     * hooks of a JVM run at once, and ours could stop the server while theirs still needs it.
     */
    public EmbeddedPostgresBuilder withoutShutdownHook() {
        stopAtExit = false;
        return this;
    }

    /** The parent directory of a temporary server; by default this JVM's directory for temporary files. */
    public EmbeddedPostgresBuilder temporaryParent(Path parent) {
        temporaryParent = parent;
        return this;
    }

    EmbeddedPostgresBuilder ports(IntSupplier ports) {
        this.ports = ports;
        return this;
    }

    EmbeddedPostgresBuilder crashPoints(CrashPoints crashPoints) {
        this.crashPoints = crashPoints;
        return this;
    }

    /**
     * Returns when the server accepts connections.
     *
     * @throws DirectoryInUseException if another process owns the directory
     * @throws NotDurableException if the server could lose acknowledged data
     * @throws PostgresStartException for anything that an operator must fix
     */
    public EmbeddedPostgres start() {
        long begin = System.nanoTime();
        try {
            Binaries binaries = Binaries.unpackedIn(cache);
            EmbeddedPostgres postgres =
                    startIn(new Layout(ownDirectory()), binaries).watched();
            LOG.info(
                    "{} is ready after {} ms",
                    postgres,
                    Duration.ofNanos(System.nanoTime() - begin).toMillis());
            return postgres;
        } catch (IOException | UncheckedIOException failure) {
            throw new PostgresStartException(
                    "Cannot use %s or the cache %s: %s"
                            .formatted(directory == null ? temporaryParent : directory, cache, failure),
                    failure);
        }
    }

    private Path ownDirectory() throws IOException {
        if (directory == null) {
            TemporaryDirectories.clearAbandoned(temporaryParent);
            return TemporaryDirectories.create(temporaryParent);
        }
        PrivateFiles.closeToOthers(directory);
        return directory.toRealPath();
    }

    private EmbeddedPostgres startIn(Layout layout, Binaries binaries) throws IOException {
        DirectoryLock lock = DirectoryLock.take(layout);
        boolean started = false;
        try {
            crashPoints.reached(StartPoint.DIRECTORY_LOCKED);
            Startup startup = new Startup(layout, binaries, settings, crashPoints);
            Password password = startup.prepare();
            Server server = startup.start(password, ports);
            startup.requireDurable(server, password);
            started = true;
            Login login = new Login(server.port(), password);
            return new EmbeddedPostgres(
                    new EmbeddedPostgres.Parts(layout, directory == null, lock, startup, login, server), stopAtExit);
        } finally {
            if (!started && directory == null) {
                lock.closeAndDelete();
            } else if (!started) {
                lock.close();
            }
        }
    }
}
