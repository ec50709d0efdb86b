package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

class MigrationsTest {

    private static final Migration FIRST =
            Migration.of("0001-fruit.sql", "create table tally.fruit (name text primary key)");
    private static final Migration SECOND =
            Migration.of("0002-colour.sql", "alter table tally.fruit add column colour text");
    private static final Migration THIRD =
            Migration.of("0003-no-colour.sql", "-- needs code 3\nalter table tally.fruit drop column colour");

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private Database database;

    @BeforeEach
    void open() {
        database = Database.on(postgres.dataSource());
    }

    @Test
    void steps_are_applied_once_and_in_order() {
        assertThat(migrations(FIRST, SECOND).migrate(database)).containsExactly("0001-fruit", "0002-colour");
        assertThat(migrations(FIRST, SECOND).migrate(database)).isEmpty();
    }

    @Test
    void many_instances_that_start_at_once_apply_each_step_once() throws Exception {
        List<String> applied = new ArrayList<>();
        try (ExecutorService instances = Executors.newFixedThreadPool(8)) {
            List<Future<List<String>>> starting = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                starting.add(instances.submit(() -> migrations(FIRST, SECOND).migrate(database)));
            }
            for (Future<List<String>> each : starting) {
                applied.addAll(each.get());
            }
        }

        assertThat(applied).containsExactlyInAnyOrder("0001-fruit", "0002-colour");
    }

    @Test
    void an_instance_waits_for_another_one_that_is_in_the_middle_of_a_step() throws Exception {
        Gate inside = new Gate("inside of the step");
        Database slow = Database.on(postgres.unpooled(), RandomGenerator.getDefault(), point -> {
            if (point == SqlCrashPoint.MIGRATION_APPLIED) {
                inside.pass();
            }
        });
        try (ExecutorService instances = Executors.newFixedThreadPool(2)) {
            Future<List<String>> first =
                    instances.submit(() -> migrations(FIRST).migrate(slow));
            inside.awaitArrival();
            Future<List<String>> second =
                    instances.submit(() -> migrations(FIRST).migrate(database));
            Eventually.holds(
                    "the second one waits",
                    () -> database.transact(
                                    "look",
                                    tx -> tx.first(
                                                    "select count(*) as n from pg_locks where not granted",
                                                    row -> row.getLong("n"))
                                            .orElseThrow())
                            > 0);
            inside.open();

            assertThat(first.get()).containsExactly("0001-fruit");
            assertThat(second.get()).isEmpty();
        }
    }

    @Test
    void modules_number_their_steps_independently() {
        Migration other = Migration.of("0001-vegetable.sql", "create table tally.vegetable (name text primary key)");

        migrations(FIRST).migrate(database);

        assertThat(Migrations.of("other", List.of(other)).migrate(database)).containsExactly("0001-vegetable");
    }

    @Test
    void older_code_accepts_a_schema_that_only_added() {
        migrations(FIRST, SECOND).migrate(database);

        assertThat(migrations(FIRST).migrate(database)).isEmpty();
    }

    @Test
    void older_code_refuses_a_schema_that_says_it_needs_newer_code() {
        migrations(FIRST, SECOND, THIRD).migrate(database);

        assertThatThrownBy(() -> migrations(FIRST, SECOND).migrate(database))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("needs code that knows migration 3")
                .hasMessageContaining("upgrade this instance");
    }

    @Test
    void code_that_knows_the_step_that_the_schema_needs_is_new_enough() {
        migrations(FIRST, SECOND, THIRD).migrate(database);

        assertThat(migrations(FIRST, SECOND, THIRD).migrate(database)).isEmpty();
        assertThatThrownBy(() -> migrations().migrate(database)).isInstanceOf(SchemaException.class);
    }

    @Test
    void a_file_that_is_not_beside_its_class_is_refused() {
        assertThatThrownBy(() -> Migrations.of("test", MigrationsTest.class, "0001-nowhere.sql"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no resource 0001-nowhere.sql");
    }

    @Test
    void a_step_that_was_edited_after_it_had_been_applied_is_refused() {
        migrations(FIRST).migrate(database);
        Migration edited = Migration.of("0001-fruit.sql", "create table tally.fruit (name text primary key, size int)");

        assertThatThrownBy(() -> migrations(edited).migrate(database))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("0001-fruit")
                .hasMessageContaining("add a new one instead");
    }

    @Test
    void a_step_that_fails_leaves_nothing_and_the_steps_before_it_stay() {
        Migration broken = Migration.of("0002-broken.sql", "create table tally.half (id int); select 1/0");

        assertThatThrownBy(() -> migrations(FIRST, broken).migrate(database))
                .isInstanceOf(DefiniteFailureException.class);

        assertThat(tables()).containsExactly("fruit", "migration");
        assertThat(migrations(FIRST, SECOND).migrate(database)).containsExactly("0002-colour");
    }

    @Test
    void a_crash_inside_a_step_leaves_nothing_of_it() {
        CrashAt crash = CrashAt.first(SqlCrashPoint.MIGRATION_APPLIED);
        Database crashing = Database.on(postgres.unpooled(), RandomGenerator.getDefault(), crash);

        assertThatThrownBy(() -> migrations(FIRST).migrate(crashing)).isInstanceOf(SimulatedCrash.class);

        assertThat(tables()).containsExactly("migration");
        assertThat(migrations(FIRST).migrate(database)).containsExactly("0001-fruit");
    }

    @Test
    void migrations_out_of_order_are_refused() {
        assertThatThrownBy(() -> migrations(THIRD, FIRST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0001-fruit is not after");
        assertThatThrownBy(() -> migrations(FIRST, FIRST)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Migration.of("1-fruit.sql", "")).hasMessageContaining("0001-what-it-adds.sql");
    }

    @Test
    void a_step_that_was_left_out_is_applied_later() {
        Migration later = Migration.of("0010-taste.sql", "create table tally.taste (name text)");
        assertThat(migrations(FIRST, later).migrate(database)).containsExactly("0001-fruit", "0010-taste");

        assertThat(migrations(FIRST, SECOND, later).migrate(database)).containsExactly("0002-colour");
    }

    @Test
    void tables_are_only_in_the_named_schema() {
        Database elsewhere = database.in(new SchemaName("order"));

        assertThat(migrations(FIRST, SECOND).migrate(elsewhere)).containsExactly("0001-fruit", "0002-colour");

        assertThat(migrations(FIRST, SECOND).migrate(elsewhere)).isEmpty();
        assertThat(tables("order")).containsExactly("fruit", "migration");
        assertThat(tables()).isEmpty();
    }

    @Test
    void a_name_that_is_not_a_plain_identifier_is_refused() {
        for (String name : List.of("", "Tally", "a.b", "a\"b", "1st", "pg_own", "a".repeat(64))) {
            assertThatThrownBy(() -> new SchemaName(name))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + name + "'");
        }
    }

    @Test
    void a_role_that_may_not_create_tables_accepts_an_up_to_date_schema() throws Exception {
        migrations(FIRST).migrate(database);
        Database restricted = Database.on(withDataRights("tally"));

        assertThat(migrations(FIRST).migrate(restricted)).isEmpty();
        assertThatThrownBy(() -> migrations(FIRST, SECOND).migrate(restricted))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("lacks test [0002-colour]")
                .hasMessageContaining("run 'tally schema migrate' as a role that may");
    }

    @Test
    void a_role_that_may_not_create_the_missing_schema_learns_what_to_run() throws Exception {
        Database restricted = Database.on(withDataRights("public"));

        assertThatThrownBy(() -> migrations(FIRST).migrate(restricted))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("lacks test [0001-fruit]")
                .hasMessageContaining("'tally schema print'");
    }

    private static DataSource withDataRights(String schema) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(postgres.urlWithDataRights(schema));
        return source;
    }

    @Test
    void the_printed_script_does_by_hand_what_migrating_does() throws Exception {
        Schema schema = Schema.of(migrations(FIRST, SECOND));
        Database elsewhere = database.in(new SchemaName("orders"));

        run(Schema.of(migrations(FIRST)).script(elsewhere));
        assertThat(schema.missing(elsewhere)).containsExactly("test 0002-colour");
        assertThat(schema.script(elsewhere)).doesNotContain("create table \"orders\".fruit");
        run(schema.script(elsewhere));

        assertThat(schema.missing(elsewhere)).isEmpty();
        assertThat(schema.script(elsewhere)).isEmpty();
        assertThat(schema.migrate(elsewhere)).isEmpty();
        assertThat(schema.script(new SchemaName("orders")))
                .contains("create table \"orders\".fruit", "add column colour");
    }

    private static void run(String script) throws SQLException {
        try (Connection connection = postgres.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(script);
        }
    }

    private static Migrations migrations(Migration... steps) {
        return Migrations.of("test", List.of(steps));
    }

    private List<String> tables() {
        return tables("tally");
    }

    private List<String> tables(String schema) {
        return database.transact("list tables", tx -> tx.query("""
                select table_name
                from information_schema.tables
                where table_schema = ?
                order by table_name
                """, row -> row.getString("table_name"), schema));
    }
}
