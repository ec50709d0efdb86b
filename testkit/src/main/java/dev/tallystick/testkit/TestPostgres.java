package dev.tallystick.testkit;

import dev.tallystick.testkit.TestServer.Template;
import dev.tallystick.testkit.TestServer.TestDatabase;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * JUnit extension: a separate database for a test class, or for each test, on a real and durable Postgres. Use it in a static
 * field:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final TestPostgres postgres = TestPostgres.perClass().prepared("engine schema", Schema::create);
 * }</pre>
 *
 * <p>All tests of a JVM share one server, started by the first that needs it and stopped with the JVM. Its files are in memory
 * where the machine supports that; {@code -Dtest.storage=disk} puts them on disk, and campaigns do so.
 *
 * <p>Cost on two idle cores: some 3 s for the server, once per JVM (and as much again on a machine that has never run it);
 * some 40 ms to create and drop a database (200 ms on disk); some 5 ms for an unpooled connection.
 */
public final class TestPostgres implements BeforeAllCallback, TestInstancePreConstructCallback {

    private static final Namespace STORE = Namespace.create(TestPostgres.class);
    private static final int LARGEST_POOL = 20;

    private final boolean perTest;
    private final @Nullable Template template;
    private @Nullable TestDatabase current;

    private TestPostgres(boolean perTest, @Nullable Template template) {
        this.perTest = perTest;
        this.template = template;
    }

    /** One database for all the tests of a class, including its nested classes. */
    public static TestPostgres perClass() {
        return new TestPostgres(false, null);
    }

    /** A database for each test. */
    public static TestPostgres perTest() {
        return new TestPostgres(true, null);
    }

    /** Fills an empty database and leaves no connection open. */
    @FunctionalInterface
    public interface Preparation {
        void prepare(DataSource dataSource) throws Exception;
    }

    /** Databases start as copies of a template that is prepared once per JVM. Equal names must mean equal preparation. */
    public TestPostgres prepared(String name, Preparation preparation) {
        return new TestPostgres(perTest, new Template(name, preparation));
    }

    /** A pool that opens connections as needed, {@value #LARGEST_POOL} at most. */
    public DataSource dataSource() {
        return current().pool();
    }

    /** Every connection is a new session. */
    public DataSource unpooled() {
        return current().endpoint().dataSource();
    }

    /** A new proxy in front of the server; the test closes it. */
    public TcpProxy proxy() {
        return TcpProxy.to(current().endpoint().address());
    }

    /** As {@link #unpooled()}, through the proxy. */
    public DataSource proxied(TcpProxy proxy) {
        return current().endpoint().through(proxy).dataSource();
    }

    /** For a child JVM: the JDBC URL with user and password. */
    public String url() {
        return current().endpoint().url();
    }

    /**
     * A new pooler in front of the database, with this many sessions; the test closes it, and is skipped where PgBouncer is
     * not installed.
     */
    public PgBouncer pgBouncer(int sessions) {
        return PgBouncer.before(current().endpoint(), sessions);
    }

    /** As {@link #url()}, for a role that may read and write the schema's current tables, and create nothing. */
    public String urlWithDataRights(String schema) throws SQLException {
        new DataRightsStore(unpooled()).grant(schema);
        return url() + "&options=-c%20role=" + DataRightsStore.ROLE;
    }

    /** As {@link #url()}, through the proxy. */
    public String url(TcpProxy proxy) {
        return current().endpoint().through(proxy).url();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (!perTest) {
            current = database(context);
        }
    }

    /** Before the test's fields are initialised, because they may use the database. */
    @Override
    public void preConstructTestInstance(TestInstanceFactoryContext instance, ExtensionContext context) {
        if (perTest) {
            current = database(context);
        }
    }

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        return ExtensionContextScope.TEST_METHOD;
    }

    private TestDatabase database(ExtensionContext context) {
        String purpose = context.getRequiredTestClass().getSimpleName();
        return context.getStore(STORE)
                .computeIfAbsent(
                        this,
                        absent -> TestServer.ofThisJvm().create(purpose, template, LARGEST_POOL),
                        TestDatabase.class);
    }

    private TestDatabase current() {
        return Objects.requireNonNull(current, "a TestPostgres must be registered in a static field");
    }
}
