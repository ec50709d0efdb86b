package dev.tallystick.broker.accept;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.LimiterContract;
import dev.tallystick.broker.model.TestBroker;
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
    private final RateStore store = new RateStore();
    private final List<Limiter> opened = new ArrayList<>();

    /** A method of the store that deletes old rows. */
    private interface Sweep {
        int in(Tx tx, Duration window) throws SQLException;
    }

    @AfterEach
    void close() {
        opened.forEach(Limiter::close);
    }

    @Override
    public Limiter open(Limiter.Budget budget) {
        Limiter limiter = new PostgresLimiter(database, budget);
        opened.add(limiter);
        return limiter;
    }

    @Override
    public void nextWindow() {
        pass(LONGER);
    }

    @Test
    void grants_of_old_windows_are_deleted() {
        open(new Limiter.Budget(1, WINDOW))
                .consume(ScopedKey.of("k"), TestBroker.job("k", "x").fingerprint());
        assertThat(sweep(store::sweepGrants)).isZero();
        pass(WINDOW);
        assertThat(sweep(store::sweepGrants)).isZero();
        pass(WINDOW);

        assertThat(sweep(store::sweepGrants)).isEqualTo(1);
    }

    @Test
    void windows_that_are_long_over_are_forgotten() {
        open(new Limiter.Budget(1, WINDOW))
                .consume(ScopedKey.of("k"), TestBroker.job("k", "x").fingerprint());
        assertThat(sweep(store::sweepWindows)).isZero();
        pass(RateStore.LEFT_ALONE);

        assertThat(sweep(store::sweepWindows))
                .as("of the member and of its mesh")
                .isEqualTo(2);
    }

    @Test
    void counting_a_budget_does_not_wait_for_the_disk() {
        Optional<String> counting = database.transact("count", tx -> {
            List<RateStore.Request> requests = List.of(new RateStore.Request(
                    ScopedKey.of("k"), TestBroker.job("k", "x").fingerprint(), 1));
            assertThat(store.count(tx, requests, new Limiter.Budget(1, WINDOW))).hasSize(1);
            return forced(tx);
        });
        Optional<String> afterwards = database.transact("look", PostgresLimiterTest::forced);

        assertThat(counting).hasValue("off");
        assertThat(afterwards).hasValue("on");
    }

    private static Optional<String> forced(Tx tx) throws SQLException {
        return tx.first("show synchronous_commit", row -> row.getString(1));
    }

    private int sweep(Sweep sweep) {
        return database.transact("sweep", tx -> sweep.in(tx, WINDOW));
    }

    private void pass(Duration time) {
        database.transact("let time pass", tx -> {
            tx.update("update tally.rate_grant set window_start = window_start - ?", time.toMillis());
            return tx.update("update tally.rate_window set window_start = window_start - ?", time.toMillis());
        });
    }
}
