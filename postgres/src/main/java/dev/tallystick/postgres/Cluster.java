package dev.tallystick.postgres;

import dev.tallystick.core.CrashPoints;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Creates the cluster: first under a provisional name, complete with password and access rules, then renamed. So {@code data}
 * exists completely or not at all, and is never accessible without the password.
 */
final class Cluster {

    private static final Duration INITDB_LIMIT = Duration.ofMinutes(5);

    private static final String ACCESS_RULES = """
        # TYPE  DATABASE      USER  ADDRESS        METHOD
        host    all           all   127.0.0.1/32   scram-sha-256
        host    replication   all   127.0.0.1/32   scram-sha-256
        """;

    /** Repeated hashing protects passwords that can be guessed. Ours cannot be, and each connection would pay for it. */
    private static final String STRETCHING = "--set=scram_iterations=1";

    private final Layout layout;
    private final Programs programs;
    private final ServerLog log;
    private final CrashPoints crashPoints;

    Cluster(Layout layout, Programs programs, ServerLog log, CrashPoints crashPoints) {
        this.layout = layout;
        this.programs = programs;
        this.log = log;
        this.crashPoints = crashPoints;
    }

    void createUnlessPresent() throws IOException {
        deleteUnfinished();
        if (Files.isDirectory(layout.data())) {
            return;
        }
        Path fresh = Files.createTempDirectory(layout.root(), Layout.UNFINISHED);
        initialise(fresh);
        PrivateFiles.write(fresh.resolve("pg_hba.conf"), ACCESS_RULES);
        crashPoints.reached(StartPoint.CLUSTER_COMPLETE);
        PrivateFiles.rename(fresh, layout.data());
        crashPoints.reached(StartPoint.CLUSTER_IN_PLACE);
    }

    // The server's built-in locale: the same sort order and upper case on every machine, whatever is installed there.
    private void initialise(Path fresh) throws IOException {
        long mark = log.end();
        Process initdb = programs.initdb(List.of(
                "--pgdata=" + fresh,
                "--username=" + Login.USER,
                "--auth=scram-sha-256",
                "--pwfile=" + layout.passwordFile(),
                STRETCHING,
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions"));
        crashPoints.reached(StartPoint.INITDB_RUNNING);
        if (!Patience.until(() -> !initdb.isAlive(), INITDB_LIMIT)) {
            endInitdb(fresh);
            throw new PostgresStartException(
                    "initdb did not finish within " + INITDB_LIMIT, log.lastWordsSince(mark), null);
        }
        if (initdb.exitValue() != 0) {
            throw new PostgresStartException(
                    "initdb failed in %s: see its output below; often the disk is full.".formatted(layout.root()),
                    log.lastWordsSince(mark),
                    null);
        }
    }

    private void deleteUnfinished() throws IOException {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(layout.root(), Layout.UNFINISHED + "*")) {
            for (Path directory : unfinished) {
                endInitdb(directory);
                PrivateFiles.deleteTree(directory);
            }
        }
    }

    /** An {@code initdb} continues after its parent was killed; wait until it has ended before deleting its directory. */
    private static void endInitdb(Path fresh) {
        ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .filter(words -> List.of(words).contains("--pgdata=" + fresh))
                        .isPresent())
                .forEach(initdb -> {
                    initdb.destroyForcibly();
                    Patience.until(() -> !initdb.isAlive(), Duration.ofSeconds(1));
                });
        Server.endAll(fresh);
    }
}
