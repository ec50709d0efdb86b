package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Ask;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

/** One role makes the tables, in the schema that an application has for them, and another one runs the jobs. */
class SchemaTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @Test
    void a_role_that_may_only_read_and_write_runs_everything_in_a_schema_of_another_name() throws Exception {
        List<String> applied = Tallystick.builder()
                .dataSource(postgres.dataSource())
                .schema("jobs")
                .migrate();
        assertThat(applied).contains("keys 0001-key-ledger");
        DataSource restricted = withDataRights("jobs");

        try (Tallystick tally =
                Tallystick.builder().dataSource(restricted).schema("jobs").build()) {
            tally.register("order", String.class, String.class, (ctx, item) -> {
                ctx.attribute("item", item);
                String shelf = ctx.step("reserve", String.class, () -> "shelf 1");
                ctx.transaction("count", Boolean.class, connection -> true);
                String size = ctx.task("size", String.class, Ask.group("packers"));
                ctx.await("shipped", String.class);
                return item + " from " + shelf + " in " + size;
            });
            tally.start();
            JobHandle<String> job;
            try (Connection transaction = restricted.getConnection()) {
                transaction.setAutoCommit(false);
                job = tally.submit(transaction, "order", "apples", Submit.key("web-1:42:9f3a6c0b1d2e4f58"));
                transaction.commit();
            }
            job.signal("shipped", "parcel-7", "on its way");
            Task task = Eventually.value(
                            "the task is there", () -> tally.tasks().ofGroup("packers"), open -> !open.isEmpty())
                    .getFirst();
            tally.tasks().claim(task.id(), "ada");
            tally.tasks().resolve(task.id(), "ada", "a box", "form-17");

            assertThat(job.result(Duration.ofSeconds(60))).isEqualTo("apples from shelf 1 in a box");
            assertThat(tally.jobs().where("item", "apples").list()).hasSize(1);
        }

        assertThat(schemaTallyExists()).isFalse();
    }

    private static DataSource withDataRights(String schema) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(postgres.urlWithDataRights(schema));
        return source;
    }

    private static boolean schemaTallyExists() throws SQLException {
        try (Connection connection = postgres.unpooled().getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("select from pg_namespace where nspname = 'tally'")) {
            return found.next();
        }
    }
}
