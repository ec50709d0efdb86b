package dev.tallystick.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    private int sweep(RateStore store) {
        return database.transact("sweep", tx -> store.sweep(tx, Duration.ofHours(1)));
    }
}
