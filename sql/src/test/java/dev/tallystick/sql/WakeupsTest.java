package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.PgBouncer;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

class WakeupsTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private final AtomicInteger here = new AtomicInteger();
    private final AtomicInteger there = new AtomicInteger();

    @Test
    void a_signal_wakes_the_other_processes_and_not_its_own() {
        Database database = Database.on(postgres.dataSource());
        try (Wakeups one = new Wakeups(database, "test_wake", "here", here::incrementAndGet);
                Wakeups other = new Wakeups(database, "test_wake", "there", there::incrementAndGet)) {
            Eventually.holds("the other one is woken", () -> {
                one.ring();
                return there.get() > 0;
            });
            other.ring();
            Eventually.holds("the first one is woken", () -> {
                other.ring();
                return here.get() > 0;
            });
        }
    }

    @Test
    void an_interrupt_ends_neither_those_who_ring_nor_those_who_listen() {
        Database database = Database.on(postgres.dataSource());
        try (Wakeups one = new Wakeups(database, "test_wake", "here", here::incrementAndGet);
                Wakeups other = new Wakeups(database, "test_wake", "there", there::incrementAndGet)) {
            assertThat(other.isListening()).isTrue();
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().matches("tally-(ring|listen)"))
                    .forEach(Thread::interrupt);

            Eventually.holds("the other one is woken", () -> {
                one.ring();
                return there.get() > 0;
            });
            assertThat(other.isListening()).isTrue();
        }
    }

    @Test
    void many_signals_at_once_are_combined() {
        Database database = Database.on(postgres.dataSource());
        try (Wakeups one = new Wakeups(database, "test_wake", "here", () -> {});
                Wakeups other = new Wakeups(database, "test_wake", "there", there::incrementAndGet)) {
            assertThat(other).isNotNull();
            for (int i = 0; i < 10_000; i++) {
                one.ring();
            }
            Eventually.holds("the other one is woken", () -> {
                one.ring();
                return there.get() > 0;
            });
            assertThat(there.get()).isLessThan(5_000);
        }
    }

    @Test
    void signalling_takes_only_a_temporary_connection() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(postgres.unpooled());
        config.setMaximumPoolSize(3);
        try (HikariDataSource pool = new HikariDataSource(config);
                Wakeups one = new Wakeups(Database.on(pool), "test_wake", "here", () -> {});
                Wakeups other = new Wakeups(Database.on(pool), "test_wake", "there", there::incrementAndGet)) {
            assertThat(other).isNotNull();
            Eventually.holds("the other one is woken", () -> {
                one.ring();
                return there.get() > 0;
            });
            Eventually.holds(
                    "only those who listen have one",
                    () -> pool.getHikariPoolMXBean().getActiveConnections() == 2);
        }
    }

    @Test
    void a_broken_connection_is_opened_again() {
        Database database = Database.on(postgres.dataSource());
        try (TcpProxy proxy = postgres.proxy();
                Wakeups fragile = new Wakeups(
                        Database.on(postgres.proxied(proxy)), "test_wake", "there", there::incrementAndGet);
                Wakeups steady = new Wakeups(database, "test_wake", "here", here::incrementAndGet)) {
            assertThat(fragile).isNotNull();
            proxy.cut();
            Eventually.holds("it listens again", () -> {
                steady.ring();
                return there.get() > 0;
            });
        }
    }

    @Test
    void a_listener_that_fails_listens_again() {
        Database database = Database.on(postgres.dataSource());
        try (Wakeups one = new Wakeups(database, "test_wake", "here", () -> {});
                Wakeups other = new Wakeups(database, "test_wake", "there", () -> {
                    there.incrementAndGet();
                    throw new AssertionError("planted");
                })) {
            assertThat(other).isNotNull();
            Eventually.holds("the other one is woken again", () -> {
                one.ring();
                return there.get() > 1;
            });
        }
    }

    @Test
    void a_channel_has_a_plain_name() {
        Database database = Database.on(postgres.dataSource());
        assertThatThrownBy(() -> new Wakeups(database, "x; drop table y", "here", () -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nothing_is_left_listening_behind_a_pooler_that_hands_the_session_to_others() throws Exception {
        try (PgBouncer pooler = postgres.pgBouncer(1)) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(pooler.url());
            Database pooled = Database.on(source);
            try (Wakeups deaf = new Wakeups(pooled, "test_wake", "here", here::incrementAndGet)) {
                Eventually.holds("it has given up listening", () -> !deaf.isListening());

                List<String> channels = pooled.transact(
                        "list channels",
                        tx -> tx.query("select pg_listening_channels() as channel", row -> row.getString("channel")));
                assertThat(channels).isEmpty();
                deaf.ring();
            }
        }
    }
}
