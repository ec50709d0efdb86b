package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;

class TestPostgresTest {

    private static final AtomicInteger preparations = new AtomicInteger();

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    @RegisterExtension
    static final TestPostgres prepared = TestPostgres.perTest().prepared("one row", TestPostgresTest::prepareOneRow);

    private final String databaseOfThisField = ask(prepared.dataSource(), "select current_database()");

    private static void prepareOneRow(DataSource source) throws SQLException {
        preparations.incrementAndGet();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table t as select 1 as x");
        }
    }

    @Test
    void the_server_is_durable() {
        assertThat(ask(
                        postgres.dataSource(),
                        "select current_setting('fsync') || current_setting('synchronous_commit')"))
                .isEqualTo("onon");
    }

    @Test
    void a_class_has_one_database_pooled_or_not_direct_or_through_a_proxy() throws SQLException {
        String database = ask(postgres.dataSource(), "select current_database()");
        assertThat(database).endsWith("testpostgrestest");
        assertThat(ask(postgres.unpooled(), "select current_database()")).isEqualTo(database);
        try (TcpProxy proxy = postgres.proxy()) {
            assertThat(ask(postgres.proxied(proxy), "select current_database()"))
                    .isEqualTo(database);
            try (Connection connection = DriverManager.getConnection(postgres.url(proxy))) {
                assertThat(connection.getCatalog()).isEqualTo(database);
            }
        }
        assertThat(prepared.url()).doesNotContain(database + "?");
    }

    @RepeatedTest(2)
    void a_test_finds_its_database_as_it_was_prepared() {
        assertThat(ask(prepared.dataSource(), "with gone as (delete from t returning x) select count(*) from gone"))
                .isEqualTo("1");
    }

    @Test
    void the_fields_of_a_test_see_the_database_of_that_test() {
        assertThat(ask(prepared.dataSource(), "select current_database()")).isEqualTo(databaseOfThisField);
    }

    @Test
    void a_preparation_is_done_once() {
        assertThat(preparations).hasValue(1);
    }

    @Nested
    class In_a_nested_class {
        @Test
        void the_database_is_that_of_the_outer_class() {
            assertThat(ask(postgres.dataSource(), "select current_database()")).endsWith("testpostgrestest");
        }
    }

    @Test
    void a_database_is_gone_after_its_test_and_the_server_with_the_jvm() {
        try (ChildJvm child = ChildJvm.of(Visitor.class).start()) {
            String url = child.awaitLine(line -> line.startsWith("jdbc:"));
            assertThat(child.awaitLine(line -> line.startsWith("afterwards "))).isEqualTo("afterwards 3D000");
            assertThat(child.awaitExit()).isZero();
            assertThat(Visitor.refusal(url)).isEqualTo("08001");
        }
    }

    /** Run in its own JVM: reports where the database of its test is, and whether it still exists. */
    static class Visitor {

        private static String url = "";

        @RegisterExtension
        static final TestPostgres postgres = TestPostgres.perTest();

        @Test
        void visit() {
            url = postgres.url();
        }

        public static void main(String[] arguments) {
            EngineTestKit.engine("junit-jupiter")
                    .selectors(DiscoverySelectors.selectClass(Visitor.class))
                    .execute()
                    .testEvents()
                    .assertStatistics(stats -> stats.succeeded(1));
            System.out.println(url);
            System.out.println("afterwards " + refusal(url));
        }

        /** The SQL state of a refused connection. */
        static String refusal(String url) {
            try {
                DriverManager.getConnection(url).close();
                return "none";
            } catch (SQLException e) {
                return e.getSQLState();
            }
        }
    }

    private static String ask(DataSource source, String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
