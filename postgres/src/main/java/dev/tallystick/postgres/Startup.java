package dev.tallystick.postgres;

import dev.tallystick.core.CrashPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a directory from any state to one running server. The caller holds the directory's lock, so no other process starts
 * or stops a server here; but a server, or even an {@code initdb}, of a former owner may still be running.
 */
final class Startup {

    private static final Logger LOG = LoggerFactory.getLogger(Startup.class);

    private static final int ATTEMPTS = 5;

    /** Long, because it includes replaying a gigabyte of log after a crash. */
    private static final Duration START_LIMIT = Duration.ofMinutes(5);

    /** Generous for a healthy server on a busy machine, bearable for one that hangs. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    private final Layout layout;
    private final Programs programs;
    private final ServerLog log;
    private final Settings settings;
    private final String fingerprint;
    private final CrashPoints crashPoints;

    Startup(Layout layout, Binaries binaries, Settings settings, CrashPoints crashPoints) {
        this.layout = layout;
        this.programs = Programs.of(binaries, layout);
        this.log = new ServerLog(layout.logFile());
        this.settings = settings;
        this.fingerprint = settings.fingerprint(binaries);
        this.crashPoints = crashPoints;
    }

    Password prepare() throws IOException {
        log.create();
        Password password = Password.of(layout);
        crashPoints.reached(StartPoint.PASSWORD_WRITTEN);
        new Cluster(layout, programs, log, crashPoints).createUnlessPresent();
        return password;
    }

    /** Adopts the existing server if it is as good as new; otherwise starts one, on a port from {@code ports}. */
    Server start(Password password, IntSupplier ports) throws IOException {
        long mark = log.end();
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Optional<Server> server = takeOver(password);
            if (server.isEmpty()) {
                server = launch(ports.getAsInt(), mark);
            }
            if (server.isPresent()) {
                crashPoints.reached(StartPoint.SERVER_READY);
                return server.get();
            }
        }
        throw failed("Postgres in %s did not start in %d attempts.".formatted(layout.root(), ATTEMPTS), mark);
    }

    /** Refuses, and stops, a server that could lose acknowledged data. */
    void requireDurable(Server server, Password password) throws IOException {
        try {
            Optional<NotDurableException> objection = factsOf(server, password).objection();
            if (objection.isPresent()) {
                server.stop(Server.ORDERLY);
                throw objection.get();
            }
        } catch (SQLException noAnswer) {
            server.stop(Server.ORDERLY);
            throw new PostgresStartException(
                    "Postgres in %s runs but does not let us in.".formatted(layout.root()), noAnswer);
        }
    }

    // Empty when nothing runs here any more: nothing did, or it was useless and we stopped it.
    private Optional<Server> takeOver(Password password) throws IOException {
        if (Files.notExists(layout.pidFile())) {
            return Optional.empty();
        }
        Optional<PidFile> pidFile = PidFile.read(layout);
        Optional<ProcessHandle> process = pidFile.flatMap(file -> ProcessHandle.of(file.pid()));
        if (pidFile.isPresent() && process.isPresent() && Server.servesIn(process.get(), layout.data())) {
            Server orphan =
                    new Server(process.get(), layout.data(), pidFile.get().port(), true);
            if (adoptOrStop(orphan, password)) {
                return Optional.of(orphan);
            }
        }
        Server.endAll(layout.data());
        // A new server takes any process with that id for its predecessor, even an unrelated one or a zombie, and
        // refuses to start. If there is no such process the file stays: the server then also checks its predecessor's
        // shared memory.
        if (pidFile.isEmpty() || process.isPresent()) {
            Files.deleteIfExists(layout.pidFile());
        }
        return Optional.empty();
    }

    /** Whether it is as good as one that we would start now. */
    private boolean adoptOrStop(Server orphan, Password password) throws IOException {
        Patience.until(() -> !orphan.isAlive() || !isStarting(orphan), ANSWER_LIMIT);
        try {
            CatalogStore.Facts facts = factsOf(orphan, password);
            if (facts.settings().equals(fingerprint)
                    && facts.objection().isEmpty()
                    && Files.isSameFile(facts.dataDirectory(), layout.data())) {
                LOG.info(
                        "Adopted server {}, left running in {}",
                        orphan.process().pid(),
                        layout.root());
                return true;
            }
            LOG.info(
                    "Stopping server {}, left running in {} with other settings",
                    orphan.process().pid(),
                    layout.root());
            orphan.stop(Server.ORDERLY);
        } catch (SQLException noAnswer) {
            LOG.info(
                    "Stopping server {}, left in {} and not answering",
                    orphan.process().pid(),
                    layout.root(),
                    noAnswer);
            orphan.stop(Server.BRIEF);
        }
        return false;
    }

    // Empty if it lost a race that the next attempt can win: for the port, or to a server started here before ours.
    private Optional<Server> launch(int port, long mark) throws IOException {
        PrivateFiles.write(layout.configuration(), settings.asConfiguration(port, fingerprint));
        Process process = programs.postgres(layout.data());
        crashPoints.reached(StartPoint.SERVER_LAUNCHED);
        Server server = new Server(process.toHandle(), layout.data(), port, false);
        Patience.until(() -> !process.isAlive() || isReady(server), START_LIMIT);
        if (process.isAlive() && isReady(server)) {
            return Optional.of(server);
        }
        if (process.isAlive()) {
            server.stop(Server.BRIEF);
            throw failed("Postgres in %s was not ready within %s.".formatted(layout.root(), START_LIMIT), mark);
        }
        if (Ports.isTaken(port) || Server.anyIn(layout.data())) {
            return Optional.empty();
        }
        throw failed("Postgres in %s does not start.".formatted(layout.root()), mark);
    }

    private boolean isReady(Server server) {
        return PidFile.read(layout)
                .filter(file -> file.pid() == server.process().pid() && file.isReady())
                .isPresent();
    }

    private boolean isStarting(Server server) {
        return PidFile.read(layout)
                .filter(file -> file.pid() == server.process().pid() && file.isStarting())
                .isPresent();
    }

    private static CatalogStore.Facts factsOf(Server server, Password password) throws SQLException {
        return new CatalogStore(new Login(server.port(), password).answeringWithin(ANSWER_LIMIT)).facts();
    }

    private PostgresStartException failed(String message, long mark) throws IOException {
        return new PostgresStartException(
                "%s Fix the cause and start again; the full log is %s.".formatted(message, layout.logFile()),
                log.lastWordsSince(mark),
                null);
    }
}
