package dev.tallystick.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Debian's PgBouncer in front of a test database, in transaction mode: sessions are shared between transactions. Tests that
 * need it are skipped where it is not installed. It never outlives its test, because it ends when its standard input does.
 */
public final class PgBouncer implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

    /** The user of Debian's package; PgBouncer refuses to run as root. */
    private static final String USER = "postgres";

    private static final String UNTIL_INPUT_ENDS =
            "\"$@\" </dev/null & child=$!; cat >/dev/null; kill \"$child\"; wait \"$child\"";

    private final Path directory;
    private final Process process;
    private final Endpoint endpoint;

    private PgBouncer(Path directory, Process process, Endpoint endpoint) {
        this.directory = directory;
        this.process = process;
        this.endpoint = endpoint;
    }

    /** @param sessions the number of its sessions to the server */
    static PgBouncer before(Endpoint server, int sessions) {
        assumeTrue(Files.isExecutable(PROGRAM), "needs Debian's package pgbouncer");
        try {
            Path directory = Files.createTempDirectory("tallystick-pgbouncer");
            int port = freePort();
            Path settings = Files.createFile(
                    directory.resolve("pgbouncer.ini"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(settings, settings(server, sessions, port));
            List<String> command = new ArrayList<>(List.of("sh", "-c", UNTIL_INPUT_ENDS, "sh", PROGRAM.toString()));
            if (System.getProperty("user.name").equals("root")) {
                command.addAll(List.of("-u", USER));
            }
            command.add(settings.toString());
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            PgBouncer bouncer = new PgBouncer(
                    directory,
                    process,
                    new Endpoint(server.host(), port, server.database(), server.user(), server.password()));
            bouncer.awaitReady();
            return bouncer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String settings(Endpoint server, int sessions, int port) {
        return """
                [databases]
                * = host=%s port=%d user=%s password='%s'

                [pgbouncer]
                pool_mode = transaction
                listen_addr = %1$s
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                default_pool_size = %d
                max_client_conn = 200
                ignore_startup_parameters = extra_float_digits
                """.formatted(server.host(), server.port(), server.user(), server.password(), port, sessions);
    }

    private void awaitReady() {
        Eventually.holds("PgBouncer is ready", () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException(Files.readString(directory.resolve("log")));
            }
            try (Connection connection = endpoint.dataSource().getConnection()) {
                return connection.isValid(5);
            }
        });
    }

    /** The JDBC URL with the options for this version of PgBouncer, which does not support prepared statements. */
    public String url() {
        return endpoint.url() + "&prepareThreshold=0";
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            Files.deleteIfExists(directory.resolve("pgbouncer.ini"));
            Files.deleteIfExists(directory.resolve("log"));
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
