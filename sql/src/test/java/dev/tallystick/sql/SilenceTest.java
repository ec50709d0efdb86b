package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database that goes silent without closing its connections. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilenceTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @Test
    void r26_a_transaction_ends_when_the_database_falls_silent() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database database = TestDatabases.impatient(postgres.proxied(proxy));
            assertThatThrownBy(() -> database.transact("read", tx -> {
                        tx.query("select 1", row -> 1);
                        proxy.blackHole();
                        return tx.query("select 2", row -> 2);
                    }))
                    .isInstanceOfSatisfying(
                            DefiniteFailureException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
        }
    }

    @Test
    void r26_a_transaction_ends_when_the_database_stops_reading_its_request() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database database = TestDatabases.impatient(postgres.proxied(proxy));
            assertThatThrownBy(() -> database.transact("read", tx -> {
                        tx.query("select 1", row -> 1);
                        proxy.blackHole();
                        return tx.query("select length(?)", row -> 2, "x".repeat(32 << 20));
                    }))
                    .isInstanceOfSatisfying(
                            DefiniteFailureException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
        }
    }

    @Test
    void a_commit_without_a_reply_is_unknown() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database database = TestDatabases.impatient(postgres.proxied(proxy));
            assertThatThrownBy(() -> database.transact("write", tx -> {
                        int written = tx.update("create table t (n int)");
                        proxy.blackHole();
                        return written;
                    }))
                    .isInstanceOf(UnknownOutcomeException.class);
        }
    }

    @Test
    void a_listener_notices_a_silent_database() {
        AtomicInteger woken = new AtomicInteger();
        try (TcpProxy proxy = postgres.proxy();
                Wakeups steady = new Wakeups(Database.on(postgres.dataSource()), "test_wake", "here", () -> {});
                Wakeups deaf = new Wakeups(
                        TestDatabases.impatient(postgres.proxied(proxy)),
                        "test_wake",
                        "there",
                        woken::incrementAndGet)) {
            assertThat(deaf).isNotNull();
            Eventually.holds("it listens", () -> {
                steady.ring();
                return woken.get() > 0;
            });
            proxy.blackHole();
            int opened = proxy.openConnections();
            Eventually.holds("it has given its connection up", () -> proxy.openConnections() > opened);
            proxy.pass();
            int before = woken.get();
            Eventually.holds("it listens again", () -> {
                steady.ring();
                return woken.get() > before;
            });
        }
    }
}
