package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.MisuseException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.jdbc.PgStatement;

/** What would break the promise later is refused at once, with what to do instead. */
class MisuseTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    private final AtomicInteger runs = new AtomicInteger();

    @BeforeEach
    void open() {
        workbench.database().transact("create", tx -> tx.update("create table effect (job uuid)"));
    }

    /** What a step cannot ask its context for. */
    enum Question {
        STEP {
            @Override
            void ask(Context ctx) {
                ctx.step("inner", String.class, () -> "");
            }
        },
        TRANSACTION {
            @Override
            void ask(Context ctx) {
                ctx.transaction("inner", String.class, connection -> "");
            }
        },
        SLEEP {
            @Override
            void ask(Context ctx) {
                ctx.sleep(Duration.ofMillis(1));
            }
        },
        AWAIT {
            @Override
            void ask(Context ctx) {
                ctx.await("go", String.class, Duration.ofMillis(1));
            }
        },
        CHILD {
            @Override
            void ask(Context ctx) {
                ctx.child("child", "", String.class);
            }
        },
        ALL {
            @Override
            void ask(Context ctx) {
                ctx.all(String.class, List.of(branch -> ""));
            }
        },
        UNDO {
            @Override
            void ask(Context ctx) {
                ctx.undo("inner", () -> {});
            }
        },
        PATCHED {
            @Override
            void ask(Context ctx) {
                ctx.patched("inner");
            }
        },
        UUID {
            @Override
            void ask(Context ctx) {
                ctx.uuid();
            }
        },
        NOW {
            @Override
            void ask(Context ctx) {
                ctx.now();
            }
        },
        CONTINUE_AS_NEW {
            @Override
            void ask(Context ctx) {
                ctx.continueAsNew("");
            }
        };

        abstract void ask(Context ctx);
    }

    @ParameterizedTest
    @EnumSource(Question.class)
    void a_question_inside_a_step_is_refused(Question question) {
        workbench.workflow(
                "nesting",
                (ctx, input) -> ctx.step("outer", String.class, () -> {
                    runs.incrementAndGet();
                    question.ask(ctx);
                    return "";
                }));

        assertRefused("nesting", "inside step 'outer'", "before the step or after it");
    }

    @Test
    void a_question_inside_a_transaction_step_is_refused() {
        workbench.workflow(
                "nesting",
                (ctx, input) -> ctx.transaction("outer", String.class, connection -> {
                    runs.incrementAndGet();
                    return ctx.step("inner", String.class, () -> "");
                }));

        assertRefused("nesting", "'inner'", "inside step 'outer'");
    }

    @Test
    void a_question_inside_a_step_is_refused_on_other_threads_too() {
        workbench.workflow(
                "nesting",
                (ctx, input) -> ctx.step("outer", String.class, () -> {
                    runs.incrementAndGet();
                    return CompletableFuture.supplyAsync(() -> ctx.step("inner", String.class, () -> ""))
                            .join();
                }));

        assertRefused("nesting", "'inner'", "inside step 'outer'");
    }

    @Test
    void a_question_of_a_thread_that_the_workflow_has_started_is_refused() {
        workbench.workflow("threads", (ctx, input) -> {
            ctx.step("first", String.class, () -> "");
            runs.incrementAndGet();
            try {
                return CompletableFuture.supplyAsync(() -> ctx.step("second", String.class, () -> ""))
                        .join();
            } catch (CompletionException e) {
                throw (MisuseException) e.getCause();
            }
        });

        assertRefused("threads", "'second'", "use ctx.all or ctx.any");
    }

    @Test
    void a_branch_that_asks_the_context_around_it_is_refused() {
        workbench.workflow("around", (ctx, input) -> {
            runs.incrementAndGet();
            return ctx.any(String.class, List.of(branch -> ctx.step("outer", String.class, () -> "")));
        });

        assertRefused("around", "'outer'", "ask the context that the branch is given");
    }

    /** Ways to end the transaction of a step. */
    enum Ending {
        COMMIT {
            @Override
            void end(Connection connection) throws SQLException {
                connection.commit();
            }
        },
        ROLLBACK {
            @Override
            void end(Connection connection) throws SQLException {
                connection.rollback();
            }
        },
        SET_AUTO_COMMIT {
            @Override
            void end(Connection connection) throws SQLException {
                connection.setAutoCommit(true);
            }
        },
        CLOSE {
            @Override
            void end(Connection connection) throws SQLException {
                connection.close();
            }
        },
        COMMIT_BY_A_STATEMENT {
            @Override
            void end(Connection connection) throws SQLException {
                try (Statement statement = connection.createStatement()) {
                    statement.getConnection().commit();
                }
            }
        },
        COMMIT_BY_META_DATA {
            @Override
            void end(Connection connection) throws SQLException {
                connection.getMetaData().getConnection().commit();
            }
        },
        COMMIT_BY_UNWRAPPING {
            @Override
            void end(Connection connection) throws SQLException {
                connection.unwrap(Connection.class).commit();
            }
        },
        COMMIT_BY_A_RESULT {
            @Override
            void end(Connection connection) throws SQLException {
                try (Statement statement = connection.createStatement();
                        ResultSet result = statement.executeQuery("select 1")) {
                    result.getStatement().getConnection().commit();
                }
            }
        },
        COMMIT_BY_AN_ARRAY {
            @Override
            void end(Connection connection) throws SQLException {
                Array array = connection.createArrayOf("int4", new Integer[] {1});
                array.getResultSet().getStatement().getConnection().commit();
            }
        },
        COMMIT_BY_THE_DRIVER {
            @Override
            void end(Connection connection) throws SQLException {
                connection.unwrap(PgConnection.class).commit();
            }
        },
        COMMIT_BY_A_STATEMENT_OF_THE_DRIVER {
            @Override
            void end(Connection connection) throws SQLException {
                try (Statement statement = connection.createStatement()) {
                    statement.unwrap(PgStatement.class).getConnection().commit();
                }
            }
        },
        COMMIT_BEHIND_ANOTHER_STATEMENT {
            @Override
            void end(Connection connection) throws SQLException {
                execute(connection, "select E'\\'' || $x$;$x$; /* ; /* */ */ commit; select 2");
            }
        },
        COMMIT_AS_TEXT {
            @Override
            void end(Connection connection) throws SQLException {
                execute(connection, " /* done */ COMMIT");
            }
        },
        COMMIT_PREPARED {
            @Override
            void end(Connection connection) throws SQLException {
                connection.prepareStatement("commit").execute();
            }
        };

        abstract void end(Connection connection) throws SQLException;
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void a_step_that_ends_its_transaction_is_refused_and_leaves_no_effect(Ending ending) {
        workbench.workflow(
                "ending",
                (ctx, input) -> ctx.transaction("pay", String.class, connection -> {
                    runs.incrementAndGet();
                    execute(connection, "insert into effect values (gen_random_uuid())");
                    ending.end(connection);
                    return "";
                }));

        assertRefused("ending", "transaction step 'pay'", "leave the transaction open");
        assertThat(effects()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Hidden.class)
    void a_step_that_ended_its_transaction_unseen_is_never_tried_again(Hidden hidden) {
        workbench.workflow(
                "ending",
                (ctx, input) -> ctx.transaction("pay", String.class, connection -> {
                    runs.incrementAndGet();
                    execute(connection, "insert into effect values (gen_random_uuid())");
                    hidden.end(connection);
                    execute(connection, "insert into effect values (gen_random_uuid())");
                    return "";
                }));

        assertRefused(
                "ending", "transaction step 'pay' ended its transaction", hidden.before, "leave the transaction open");
        assertThat(effects()).isEqualTo(hidden.effects);
    }

    @Test
    void a_step_that_committed_unseen_and_then_failed_is_never_tried_again() {
        workbench.workflow(
                "ending",
                (ctx, input) -> ctx.transaction("pay", String.class, connection -> {
                    runs.incrementAndGet();
                    execute(connection, "insert into effect values (gen_random_uuid())");
                    Hidden.COMMIT.end(connection);
                    execute(connection, "select nothing from nowhere");
                    return "";
                }));

        assertRefused("ending", "transaction step 'pay' ended its transaction", "leave the transaction open");
        assertThat(effects()).isEqualTo(1);
    }

    /** Ways to end the transaction of a step that are seen only afterwards: the server reads quotes in its old way. */
    enum Hidden {
        COMMIT("durable", 1),
        ROLLBACK("rolled back", 0);

        private final String before;
        private final int effects;

        Hidden(String before, int effects) {
            this.before = before;
            this.effects = effects;
        }

        void end(Connection connection) throws SQLException {
            execute(connection, "set standard_conforming_strings = off");
            execute(connection, "select '\\''; " + name() + "; --'");
        }
    }

    @Test
    void sql_that_only_mentions_the_end_of_a_transaction_is_run() {
        workbench.workflow(
                "mentioning",
                (ctx, input) -> ctx.transaction("pay", String.class, connection -> {
                    execute(
                            connection,
                            "select '; commit; ', $x$; commit; $x$, \"; commit; \" from (select 1) as t (\"; commit; \")");
                    execute(connection, "select 1 -- ; commit; \n; select E'\\'; commit; --' /* ; commit; */");
                    execute(connection, "create function f() returns int begin atomic select 1; select 2; end");
                    try (PreparedStatement select = connection.prepareStatement("select (?::int4[])[2]")) {
                        select.setArray(1, connection.createArrayOf("int4", new Integer[] {3, 4}));
                        try (ResultSet result = select.executeQuery()) {
                            result.next();
                            return connection.unwrap(PGConnection.class).getCopyAPI() + "copies " + result.getInt(1);
                        }
                    }
                }));

        assertThat(workbench.run(workbench.start(), "mentioning")).endsWith("copies 4");
    }

    @Test
    void a_savepoint_takes_back_a_part_of_a_transaction_step() {
        workbench.workflow(
                "part",
                (ctx, input) -> ctx.transaction("pay", String.class, connection -> {
                    execute(connection, "insert into effect values (gen_random_uuid())");
                    Savepoint before = connection.setSavepoint();
                    execute(connection, "insert into effect values (gen_random_uuid())");
                    connection.rollback(before);
                    execute(connection, "savepoint again");
                    execute(connection, "rollback to savepoint again");
                    return "paid";
                }));

        assertThat(workbench.run(workbench.start(), "part")).isEqualTo("paid");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void a_job_is_not_submitted_on_a_connection_that_commits_by_itself() throws SQLException {
        workbench.workflow("one", (ctx, input) -> "");
        Engine engine = workbench.start();
        try (Connection connection = postgres.dataSource().getConnection()) {
            connection.setAutoCommit(true);

            assertThatThrownBy(() -> engine.submitIn(connection, workbench.submission("one", "key", "input")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(workbench.count("job")).isZero();
    }

    private void assertRefused(String workflow, String... words) {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, workflow, "key");
        Closed closed = workbench.await(engine, job);
        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains(words);
        assertThat(runs).as("it is not tried again").hasValue(1);
        assertThat(workbench.places(job))
                .noneMatch(place -> place.toLowerCase(Locale.ROOT).contains("inner"));
    }

    private long effects() {
        return workbench
                .database()
                .transact(
                        "count",
                        tx -> tx.first("select count(*) as n from effect", row -> row.getLong("n"))
                                .orElseThrow());
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
