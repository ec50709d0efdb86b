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
 * JUnit extension: a database of its own for a test class, or for each test, on a real and durable Postgres. It belongs
 * into a static field:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final TestPostgres postgres = TestPostgres.perClass().prepared("engine schema", Schema::create);
 * }</pre>
 *
 * <p>All tests of a JVM share one server, started by the first that needs it and gone with the JVM. Its files are in memory where
 * the machine offers that; {@code -Dtest.storage=disk} puts them on disk, and campaigns do so.
 *
 * <p>What it costs on two idle cores: the server some 3 s once a JVM (and as much again on a machine that has never run it),
 * a database some 40 ms to make and drop (200 ms on disk), a connection that is not pooled some 5 ms.
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

    /** One database for all the tests of a class, those of its nested classes too. */
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

    /** Databases start as copies of one that was prepared so, once a JVM. What has the same name is prepared alike. */
    public TestPostgres prepared(String name, Preparation preparation) {
        return new TestPostgres(perTest, new Template(name, preparation));
    }

    /** A pool that opens connections as they are needed, {@value #LARGEST_POOL} at most. */
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

    /** As {@link #unpooled()}, by way of the proxy. */
    public DataSource proxied(TcpProxy proxy) {
        return current().endpoint().through(proxy).dataSource();
    }

    /** For a child JVM: the JDBC URL, user and password included. */
    public String url() {
        return current().endpoint().url();
    }

    /** A new pooler before the database, with so many sessions; the test closes it, and is skipped where there is none. */
    public PgBouncer pgBouncer(int sessions) {
        return PgBouncer.before(current().endpoint(), sessions);
    }

    /** As {@link #url()}, for a role that may read and write the tables that a schema has by now, and create nothing. */
    public String urlWithDataRights(String schema) throws SQLException {
        new DataRightsStore(unpooled()).grant(schema);
        return url() + "&options=-c%20role=" + DataRightsStore.ROLE;
    }

    /** As {@link #url()}, by way of the proxy. */
    public String url(TcpProxy proxy) {
        return current().endpoint().through(proxy).url();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (!perTest) {
            current = database(context);
        }
    }

    /** Before the fields of the test, which may use the database already. */
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
        return Objects.requireNonNull(current, "a TestPostgres has to be registered in a static field");
    }
}
