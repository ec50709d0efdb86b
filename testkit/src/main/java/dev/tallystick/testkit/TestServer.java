package dev.tallystick.testkit;

import dev.tallystick.postgres.EmbeddedPostgres;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The Postgres that all tests of this JVM share. Thread-safe.
 *
 * <p>The JVM's shutdown stops it, not JUnit: where several JVMs take classes from one list, each class is a separate JUnit
 * session, and a server per session would cost more than most of the tests.
 */
final class TestServer {

    private static final String LOOPBACK = "127.0.0.1";
    private static final int LONGEST_NAME = 63;

    private static @Nullable TestServer shared;

    private final EmbeddedPostgres postgres = EmbeddedPostgres.temporary()
            .temporaryParent(TestStorage.ofThisJvm())
            .start();
    private final GrowingPool administration =
            new GrowingPool(endpoint("postgres").dataSource(), 1);
    private final TestDatabaseStore databases = new TestDatabaseStore(administration);
    private final Map<String, String> templates = new HashMap<>();
    private int created;

    static synchronized TestServer ofThisJvm() {
        if (shared == null) {
            shared = new TestServer();
        }
        return shared;
    }

    /** The template databases. */
    record Template(String name, TestPostgres.Preparation preparation) {}

    /** A database for one test class or test; it is dropped afterwards. */
    record TestDatabase(TestServer server, Endpoint endpoint, GrowingPool pool) implements AutoCloseable {
        @Override
        public void close() throws SQLException {
            pool.close();
            server.databases.drop(endpoint.database());
        }
    }

    synchronized TestDatabase create(String purpose, @Nullable Template template, int largestPool) {
        String name = newName(purpose);
        try {
            if (template == null) {
                databases.create(name);
            } else {
                databases.copy(prepared(template), name);
            }
        } catch (Exception e) {
            throw new IllegalStateException("no database for " + purpose, e);
        }
        return new TestDatabase(
                this, endpoint(name), new GrowingPool(endpoint(name).dataSource(), largestPool));
    }

    private String prepared(Template template) throws Exception {
        String known = templates.get(template.name());
        if (known != null) {
            return known;
        }
        String name = newName("template_" + template.name());
        databases.create(name);
        template.preparation().prepare(endpoint(name).dataSource());
        templates.put(template.name(), name);
        return name;
    }

    private String newName(String purpose) {
        String name =
                "t%d_%s".formatted(++created, purpose.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_"));
        return name.substring(0, Math.min(name.length(), LONGEST_NAME));
    }

    private Endpoint endpoint(String database) {
        return new Endpoint(LOOPBACK, postgres.port(), database, postgres.user(), postgres.password());
    }
}
