package dev.tallystick.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.consumer.Handler;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.CrashCoverage;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kills an instance of each side at each point, and demands that the survivors end every posting, with one effect each. */
class CrashTest {

    private static final int POSTINGS = 12;

    @RegisterExtension
    static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    static final TestPostgres globexs = Party.postgres();

    static List<CrashPoint> points() {
        List<CrashPoint> points = new ArrayList<>(List.of(ExchangeCrashPoint.values()));
        points.add(SqlCrashPoint.BEFORE_COMMIT);
        points.add(SqlCrashPoint.AFTER_COMMIT);
        return points;
    }

    @ParameterizedTest
    @MethodSource("points")
    void after_a_crash_at_any_point_every_posting_ends_with_one_effect(CrashPoint point) {
        // A batch may pass a point of ours once for all postings.
        int time = point instanceof ExchangeCrashPoint ? 1 : 2;
        CrashAt acmeDies = CrashAt.nth(point, time);
        CrashAt globexDies = CrashAt.nth(point, time);
        run(acmeDies, globexDies);

        try (Transport transport = transport();
                Party acme = Party.acme(acmes.dataSource(), "2", CrashPoints.NONE);
                Party globex = Party.globex(globexs.dataSource(), "2", CrashPoints.NONE)) {
            globex.consuming(transport);
            // The caller repeats what it does not know to be recorded.
            TransportContract.post(acme.producing(transport, Party.FAST), POSTINGS);

            TransportContract.awaitSettled(acme, globex);
            TransportContract.assertBooks(acme, globex, POSTINGS);
        }
        assertThat(acmeDies.hasCrashed() || globexDies.hasCrashed())
                .as("some side reaches %s", point)
                .isTrue();
    }

    @Test
    void every_declared_point_is_reached() {
        CrashCoverage<ExchangeCrashPoint> coverage = CrashCoverage.of(ExchangeCrashPoint.class);
        CrashPoints counting = coverage.counting(CrashPoints.NONE);
        run(counting, counting);

        coverage.assertComplete();
    }

    /** Runs both sides until all is done, or as far as a dead side lets the other get. */
    private void run(CrashPoints acmes, CrashPoints globexs) {
        AtomicInteger calls = new AtomicInteger();
        Handler failingAtFirst = (request, tx) -> {
            if (calls.incrementAndGet() <= 2) {
                throw new IllegalStateException("fails at first");
            }
            return Party.handle(request, tx);
        };
        try (Transport transport = transport();
                Party acme = Party.acme(CrashTest.acmes.dataSource(), "1", acmes);
                Party globex = Party.globex(CrashTest.globexs.dataSource(), "1", globexs)) {
            Producer producer = acme.producing(transport, Party.FAST);
            post(producer);
            Eventually.holds("a second attempt, or the end", () -> isDead(acmes) || hasTriedTwice(acme));
            globex.consuming(transport, Party.FAST, failingAtFirst);
            awaitDoneOrDead(acmes, globexs, acme, globex);
        }
    }

    private static void awaitDoneOrDead(CrashPoints acmes, CrashPoints globexs, Party acme, Party globex) {
        Eventually.holds(
                "all is done, or a side is dead",
                () -> isDead(acmes) || isDead(globexs) || (acme.open() == 0 && globex.open() == 0));
    }

    private static boolean hasTriedTwice(Party acme) {
        return acme.records().show(TransportContract.id(0)).getFirst().attempts() >= 2;
    }

    private static boolean isDead(CrashPoints points) {
        return points instanceof CrashAt crash && crash.hasCrashed();
    }

    private static void post(Producer producer) {
        for (int i = 0; i < POSTINGS; i++) {
            String content = i % 10 == 3 ? Party.REFUSED + i : "order " + i;
            try {
                producer.post(Party.order("order-" + i, content)).join();
            } catch (RuntimeException | Error dead) {
                return;
            }
        }
    }

    private static Transport transport() {
        return new PostgresTransport(Database.on(acmes.dataSource()), "test");
    }
}
