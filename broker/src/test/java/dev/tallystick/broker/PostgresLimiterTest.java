package dev.tallystick.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresLimiterTest extends LimiterContract {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final Database database = Database.on(postgres.dataSource());
    private final List<Limiter> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(Limiter::close);
    }

    @Override
    Limiter open(Limiter.Budget budget) {
        Limiter limiter = new PostgresLimiter(database, budget);
        opened.add(limiter);
        return limiter;
    }

    @Override
    void nextWindow() {
        database.transact("let time pass", tx -> {
            tx.update("update tally.rate_grant set window_number = window_number - 1");
            return tx.update("update tally.rate_window set window_number = window_number - 1");
        });
    }

    @Test
    void what_was_granted_in_old_windows_is_forgotten() {
        open(new Limiter.Budget(1, WINDOW))
                .consume(ScopedKey.of("k"), TestBroker.job("k", "x").fingerprint());
        RateStore store = new RateStore();
        assertThat(sweep(store)).isZero();
        nextWindow();
        nextWindow();

        assertThat(sweep(store)).isEqualTo(1);
    }

    @Test
    void nobody_waits_for_the_disk_because_of_a_budget() {
        RateStore store = new RateStore();

        Optional<String> counting = database.transact("count", tx -> {
            store.lockWindows(tx, List.of(ScopedKey.of("k").scope()), WINDOW);
            return forced(tx);
        });
        Optional<String> afterwards = database.transact("look", PostgresLimiterTest::forced);

        assertThat(counting).hasValue("off");
        assertThat(afterwards).hasValue("on");
    }

    private static Optional<String> forced(Tx tx) throws SQLException {
        return tx.first("show synchronous_commit", row -> row.getString(1));
    }

    private int sweep(RateStore store) {
        return database.transact("sweep", tx -> store.sweep(tx, Duration.ofHours(1)));
    }
}
