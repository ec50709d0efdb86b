package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Retry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs on sessions that a database or a pool has set in another way than we need, or that stop being of use. */
class UnfitSessionsTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final int JOBS = 40;

    private final AtomicInteger attempts = new AtomicInteger();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_session_that_can_only_read_costs_a_step_no_attempt() {
        workbench.database().transact("create", tx -> tx.update("create table paid (n int)"));
        workbench.workflow(
                "paying",
                (ctx, input) -> ctx.transaction("pay", String.class, Retry.DEFAULT.attempts(1), connection -> {
                    if (attempts.incrementAndGet() == 1) {
                        execute(connection, "set transaction read only");
                    }
                    pay(connection);
                    return "paid";
                }));
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "paying", "key");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("paid");
        assertThat(attempts).hasValue(2);
        List<Integer> paid =
                workbench.database().transact("look", tx -> tx.query("select n from paid", row -> row.getInt("n")));
        assertThat(paid).hasSize(1);
    }

    /** As a library does that has exceptions of its own. */
    private static void pay(Connection connection) {
        try {
            execute(connection, "insert into paid values (1)");
        } catch (SQLException e) {
            throw new IllegalStateException("could not pay", e);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void jobs_that_compete_for_rows_end_on_a_database_that_prefers_repeatable_read() throws SQLException {
        try (Connection connection = postgres.unpooled().getConnection()) {
            execute(
                    connection,
                    "alter database " + connection.getCatalog()
                            + " set default_transaction_isolation = 'repeatable read'");
        }
        Workbench strict = new Workbench(postgres.unpooled());
        try {
            strict.workflow("child", (ctx, input) -> ctx.step("work", String.class, () -> "done"));
            strict.workflow("parent", (ctx, input) -> {
                ctx.child("child", "", String.class);
                return ctx.step("after", String.class, () -> "after");
            });
            Engine one = strict.start();
            strict.start();
            for (int i = 0; i < JOBS; i++) {
                strict.submit(one, "parent", "key-" + i);
            }
            for (int i = 0; i < JOBS; i++) {
                JobId job = strict.submit(one, "parent", "key-" + i);
                assertThat(strict.result(strict.await(one, job))).isEqualTo("after");
            }
        } finally {
            strict.close();
        }
    }
}
