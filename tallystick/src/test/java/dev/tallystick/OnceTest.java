package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.keys.KeyOwner;
import dev.tallystick.keys.KeyStatus;
import dev.tallystick.keys.Once;
import dev.tallystick.keys.Recovery;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.keys.Verdict;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Users' own handlers, and the keys they leave. */
class OnceTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private final AtomicInteger effects = new AtomicInteger();

    record Charge(String customer, int amount) {}

    @Test
    void a_handler_runs_once_under_its_key() {
        try (Tallystick tally = builder().build()) {
            Charge charge = new Charge("42", 100);

            Once first = tally.once("charge", "k", charge, this::charge);
            Once again = tally.once("charge", "k", charge, this::charge);
            Once other = tally.once("charge", "k", new Charge("42", 200), this::charge);

            assertThat(first).isInstanceOf(Once.Ran.class);
            assertThat(again).isInstanceOf(Once.Replayed.class);
            assertThat(other).isInstanceOf(Once.Reused.class);
            assertThat(effects).hasValue(1);
        }
    }

    @Test
    void an_effect_in_a_transaction_happens_with_its_answer_or_not_at_all() throws Exception {
        execute("create table charge (amount int)");
        try (Tallystick tally = builder().build()) {
            assertThatThrownBy(() -> tally.onceInTransaction("charge", "k", "r", tx -> {
                        tx.update("insert into charge values (1)");
                        throw new IllegalStateException("no money");
                    }))
                    .hasMessageContaining("no money");

            tally.onceInTransaction("charge", "k", "r", tx -> {
                tx.update("insert into charge values (2)");
                return Verdict.commit("charged");
            });

            assertThat(count("charge")).isEqualTo(1);
        }
    }

    @Test
    void an_instance_that_starts_again_under_its_name_says_what_is_unknown_since_it_died() throws Exception {
        try (Tallystick doomed = builder().instance("shop-1").build()) {
            doomed.once("charge", "k", "r", this::charge);
        }
        // As it is left by a process that died while its handler ran.
        execute("update tally.key set status = 'pending', response = null, expires_at = null where door = 'reserve'");

        try (Tallystick restarted = builder().instance("shop-1").build()) {
            assertThat(restarted.keys().lookUp(ScopedKey.of("k")).orElseThrow().status())
                    .isEqualTo(KeyStatus.OUTCOME_UNKNOWN);
            assertThat(restarted.once("charge", "k", "r", this::charge)).isInstanceOf(Once.OutcomeUnknown.class);
            assertThat(restarted.keys().unresolved(10)).hasSize(1);
        }
        assertThat(effects).hasValue(1);
    }

    @Test
    void a_process_without_a_name_is_recovered_by_whoever_finds_its_keys() throws Exception {
        try (Tallystick doomed = builder().build()) {
            doomed.once("charge", "k", "r", this::charge);
        }
        execute("update tally.key set status = 'pending', response = null, expires_at = null where door = 'reserve'");

        try (Tallystick other = builder().build()) {
            Once.InProgress pending = (Once.InProgress) other.once("charge", "k", "r", this::charge);
            assertThat(other.keys().recover(pending.entry().reservation().owner()))
                    .isEqualTo(new Recovery(0, 1));
            assertThat(other.once("charge", "k", "r", this::charge)).isInstanceOf(Once.OutcomeUnknown.class);
        }
        assertThat(effects).hasValue(1);
    }

    @Test
    void the_one_process_on_an_embedded_database_is_known_again_without_a_name(@TempDir Path directory) {
        assertThat(Tallystick.builder().embedded(directory).instance()).isEqualTo(new KeyOwner("embedded"));
        assertThat(Tallystick.builder().embedded(directory).instance("shop").instance())
                .isEqualTo(new KeyOwner("shop"));
        assertThat(builder().instance()).isNull();
    }

    @Test
    void a_running_process_forgets_keys_that_have_expired() throws Exception {
        try (Tallystick tally = builder()
                .settings(EngineSettings.DEFAULT.sweep(Duration.ofMillis(20)))
                .build()) {
            tally.register("echo", String.class, String.class, (ctx, input) -> input);
            tally.submit("echo", "", Submit.key("old"));
            tally.submit("echo", "", Submit.key("new"));
            tally.start();
            Eventually.holds("both jobs end", () -> count("tally.job where closed_at is not null") == 2);

            execute("update tally.job set closed_at = closed_at - interval '400 days'");
            execute("update tally.key set expires_at = now() - interval '1 day' where key = 'old'");

            Eventually.holds("the old key is forgotten", () -> count("tally.key") == 1);
        }
    }

    private Verdict charge() {
        effects.incrementAndGet();
        return Verdict.commit("charged");
    }

    private static Builder builder() {
        return Tallystick.builder().dataSource(postgres.dataSource());
    }

    private static void execute(String sql) throws Exception {
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int count(String table) throws Exception {
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from " + table)) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
