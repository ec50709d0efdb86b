package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.testkit.PgBouncer;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A pooler in transaction mode between two processes and their database, with fewer sessions than they have connections. */
class PgBouncerTest {

    private static final int JOBS = 40;
    private static final int SESSIONS = 3;

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @Test
    void jobs_of_two_processes_run_once_behind_a_pooler_and_leave_its_sessions_as_they_were() throws Exception {
        ConcurrentLinkedQueue<String> reserved = new ConcurrentLinkedQueue<>();
        try (PgBouncer pooler = postgres.pgBouncer(SESSIONS);
                HikariDataSource one = pool(pooler);
                HikariDataSource other = pool(pooler);
                Tallystick first = running(one, reserved);
                Tallystick second = running(other, reserved)) {
            List<JobHandle<String>> jobs = new ArrayList<>();
            for (int i = 0; i < JOBS; i++) {
                Tallystick submitter = i % 2 == 0 ? first : second;
                jobs.add(submitter.submit("order", "order " + i, Submit.key("order:" + i)));
            }
            for (int i = 0; i < JOBS; i++) {
                // Sent by the one, awaited by the other: which of them looks by itself does not matter.
                second.job(jobs.get(i).id(), String.class).signal("shipped", "parcel-" + i, "on its way");
            }

            for (int i = 0; i < JOBS; i++) {
                assertThat(jobs.get(i).result(Duration.ofSeconds(60))).isEqualTo("order " + i + " on its way");
            }
            assertThat(reserved).hasSize(JOBS).doesNotHaveDuplicates();
            assertThat(changedSettings(other)).isEmpty();
        }
    }

    private static HikariDataSource pool(PgBouncer pooler) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(pooler.url());
        config.setMaximumPoolSize(12);
        return new HikariDataSource(config);
    }

    private static Tallystick running(HikariDataSource source, ConcurrentLinkedQueue<String> reserved) {
        Tallystick tally = Tallystick.builder().dataSource(source).build();
        tally.register("order", String.class, String.class, (ctx, order) -> {
            ctx.step("reserve", Boolean.class, () -> reserved.add(order));
            return order + " " + ctx.await("shipped", String.class);
        });
        tally.start();
        return tally;
    }

    /** What the pooler's sessions have set that new ones would not have: a transaction on each, all at once. */
    private static List<String> changedSettings(HikariDataSource source) throws SQLException {
        List<String> changed = new ArrayList<>();
        List<Connection> held = new ArrayList<>();
        try {
            for (int i = 0; i < SESSIONS; i++) {
                Connection connection = source.getConnection();
                held.add(connection);
                connection.setAutoCommit(false);
                changed.addAll(changedSettings(connection));
            }
        } finally {
            for (Connection connection : held) {
                connection.close();
            }
        }
        return changed;
    }

    private static List<String> changedSettings(Connection connection) throws SQLException {
        List<String> changed = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("""
                        select name
                        from pg_settings
                        where source = 'session'
                            and name in ('lock_timeout', 'statement_timeout', 'plan_cache_mode', 'enable_seqscan', 'jit')
                        union all
                        select pg_listening_channels()
                        """)) {
            while (rows.next()) {
                changed.add(rows.getString(1));
            }
        }
        return changed;
    }
}
