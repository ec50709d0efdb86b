package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.keys.KeysCrashPoint;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.History;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one Postgres, of which one stops for a while, in the middle of whatever it does. */
@ExtendWith(Seeded.class)
class FrozenServerTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    /** Where a server is stopped: with the keys of others' retries in its hands, and where positions are given. */
    private static final List<CrashPoint> POINTS = List.of(KeysCrashPoint.ACCEPT_WRITTEN, BrokerCrashPoint.NUMBERED);

    private static final int CLIENTS = 8;
    private static final int PROGRESS = 20;
    private static final Duration EAGER = Duration.ofSeconds(1);

    private static final int CAMPAIGN = Integer.getInteger("tally.freezes", 20);
    private static final Duration FROZEN = Duration.ofSeconds(30);
    private static final Duration SAMPLE = Duration.ofSeconds(1);
    private static final Duration BEFORE = Duration.ofSeconds(5);

    private final Database database = Database.on(postgres.dataSource());
    private final History<String> history = new History<>();
    private final Map<String, String> accepted = new ConcurrentHashMap<>();
    private final Map<Integer, String> underWay = new ConcurrentHashMap<>();
    private final AtomicInteger atVictim = new AtomicInteger();
    private final AtomicInteger atSurvivor = new AtomicInteger();
    private volatile boolean done;

    @TempDir
    Path victims;

    @TempDir
    Path survivors;

    @Test
    void a_server_that_freezes_with_locks_in_its_hands_stops_no_other() throws Exception {
        underLoad(victim -> {
            for (CrashPoint point : POINTS) {
                FreezingServer.freezeAt(point, victims);
                victim.awaitLine(line -> line.equals(FreezingServer.FREEZES));
                victim.pause();
                try {
                    survivorGoesOn();
                } finally {
                    victim.resume();
                    FreezingServer.thaw(victims);
                }
                int before = atVictim.get();
                Eventually.holds("the thawed server takes part again", () -> atVictim.get() > before + PROGRESS);
            }
        });
    }

    @Test
    @Tag("campaign")
    void a_server_that_freezes_for_half_a_minute_stops_no_other_20_times(Randomness random) throws Exception {
        List<String> report = new ArrayList<>();
        underLoad(victim -> {
            for (int number = 1; number <= CAMPAIGN; number++) {
                LockSupport.parkNanos(random.between(0, 1000) * 1_000_000L);
                double before = rate(BEFORE);
                victim.pause();
                try {
                    report.add("freeze " + number + ": " + measured(before));
                    survivorGoesOn();
                } finally {
                    victim.resume();
                }
                int then = atVictim.get();
                Eventually.holds("the thawed server takes part again", () -> atVictim.get() > then + PROGRESS);
            }
        });
        report.forEach(System.out::println);
    }

    /** What is done to a server while clients submit to it and to another one. */
    private interface Treatment {
        void of(ChildJvm victim) throws Exception;
    }

    private void underLoad(Treatment treatment) throws Exception {
        try (ServerUnderTest survivor = ServerUnderTest.on(postgres, survivors);
                ChildJvm victim = ChildJvm.of(FreezingServer.class).start(postgres.url(), victims.toString())) {
            URI address = URI.create(
                    victim.awaitLine(line -> line.startsWith("ready ")).substring("ready ".length()));
            Http admin = survivor.admin();
            List<Thread> clients = begin(address, survivor.server().address(), admin.token());
            try {
                Eventually.holds("both are at work", () -> atVictim.get() > PROGRESS && atSurvivor.get() > PROGRESS);
                treatment.of(victim);
            } finally {
                done = true;
            }
            for (Thread client : clients) {
                client.join();
            }
            Eventually.holds("all jobs end", () -> closed() == jobs());
            assertThat(accepted).hasSize((int) history.acknowledgedKeys());
            history.assertAgreesWith(keys());
            assertThat(admin.get("/v1/orphans").at("total")).isEqualTo(Json.of(0));
        }
    }

    /** While the other one is frozen: accepts and ends jobs, gives positions, and answers what was under way there. */
    private void survivorGoesOn() {
        Set<String> stuck = Set.copyOf(underWay.values());
        String newest = text("select max(id::text) from tally.history");
        int acceptedBefore = atSurvivor.get();
        long closedBefore = closed();
        Eventually.holds("it accepts", () -> atSurvivor.get() > acceptedBefore + PROGRESS);
        Eventually.holds("it ends jobs", () -> closed() > closedBefore + PROGRESS);
        Eventually.holds(
                "what was under way is accepted", () -> accepted.keySet().containsAll(stuck));
        Eventually.holds(
                "what was accepted has a position",
                () -> number("select count(*) from tally.history where position is null and id::text <= ?", newest)
                        == 0);
    }

    private List<Thread> begin(URI victim, URI survivor, String token) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            TallyClient there = new TallyClient(victim, token, EAGER);
            TallyClient here = new TallyClient(survivor, token, EAGER);
            threads.add(Thread.ofVirtual().start(() -> submitUntilDone(number, there, here)));
        }
        return threads;
    }

    /** Every other client goes to the victim first, and with the same key to the survivor if there is no answer. */
    private void submitUntilDone(int number, TallyClient victim, TallyClient survivor) {
        for (int i = 0; !done; i++) {
            String key = "freeze:" + number + ":" + i;
            underWay.put(number, key);
            boolean isAnswered = number % 2 == 0 && isAccepted(key, victim, atVictim);
            while (!isAnswered) {
                isAnswered = isAccepted(key, survivor, atSurvivor);
            }
        }
    }

    private boolean isAccepted(String key, TallyClient client, AtomicInteger counter) {
        history.invoked(key);
        try {
            Json order = new Json.ObjectValue(Map.of("order", Json.of(key)));
            String job = client.submit(TallyClient.NewJob.of("sample.order", order), new IdempotencyKey(key))
                    .job()
                    .toString();
            assertThat(accepted.merge(key, job, (first, again) -> first)).isEqualTo(job);
            history.acknowledged(key);
            counter.incrementAndGet();
            return true;
        } catch (OutcomeUnknownException | UnavailableException e) {
            history.unknown(key);
            return false;
        }
    }

    private double rate(Duration over) {
        long before = closed();
        LockSupport.parkNanos(over.toNanos());
        return (closed() - before) * 1e9 / over.toNanos();
    }

    /** How soon the survivor is back at its rate, and how far the history lags meanwhile. */
    private String measured(double before) {
        long begun = System.nanoTime();
        double back = Double.NaN;
        double worst = before;
        double lag = 0;
        while (System.nanoTime() - begun < FROZEN.toNanos()) {
            double rate = rate(SAMPLE);
            worst = Math.min(worst, rate);
            if (Double.isNaN(back) && rate >= 0.8 * before) {
                back = (System.nanoTime() - begun) / 1e9;
            }
            lag = Math.max(lag, number("""
                    select coalesce(extract(epoch from clock_timestamp() - min(accepted_at)) * 1000, 0)::bigint
                    from tally.history
                    where position is null
                    """) / 1000.0);
        }
        return "%.0f jobs/s before, %.0f at worst, back at 0.8 of it after %.1f s; history lags %.1f s at most"
                .formatted(before, worst, back, lag);
    }

    private long closed() {
        return number("select count(*) from tally.job where closed_by is not null");
    }

    private long jobs() {
        return number("select count(*) from tally.job");
    }

    private List<String> keys() {
        return database.transact(
                "look",
                tx -> tx.query(
                        "select convert_from(input, 'UTF8')::json ->> 'order' as key from tally.job",
                        row -> row.getString("key")));
    }

    private long number(String query, Object... parameters) {
        return Long.parseLong(text(query, parameters));
    }

    private String text(String query, Object... parameters) {
        return database.transact(
                "look",
                tx -> tx.first(query, row -> row.getString(1), parameters).orElseThrow());
    }
}
