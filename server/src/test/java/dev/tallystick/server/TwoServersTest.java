package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one Postgres. */
class TwoServersTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path one;

    @TempDir
    static Path two;

    private static final int ROUNDS = 2_000;
    private static final int PAIRS = 16;

    private static ServerUnderTest first;
    private static ServerUnderTest second;
    private static Http atFirst;
    private static Http atSecond;

    @BeforeAll
    static void start() {
        first = ServerUnderTest.on(postgres, one);
        second = ServerUnderTest.on(postgres, two);
        atFirst = first.member("alice", "member");
        atSecond = new Http(second.server().address(), atFirst.token());
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    private static String order(String name) {
        return "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"" + name + "\"}}";
    }

    @Test
    void the_same_key_to_both_at_the_same_moment_is_one_job() throws Exception {
        List<Future<List<Http.Reply>>> sides = new ArrayList<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(2 * PAIRS)) {
            for (int pair = 0; pair < PAIRS; pair++) {
                int number = pair;
                CyclicBarrier together = new CyclicBarrier(2);
                sides.add(clients.submit(() -> side(atFirst, number, together)));
                sides.add(clients.submit(() -> side(atSecond, number, together)));
            }
        }
        for (int pair = 0; pair < PAIRS; pair++) {
            List<Http.Reply> left = sides.get(2 * pair).get();
            List<Http.Reply> right = sides.get(2 * pair + 1).get();
            for (int round = 0; round < left.size(); round++) {
                Http.Reply here = left.get(round);
                Http.Reply there = right.get(round);
                assertThat(List.of(here.status(), there.status()))
                        .as(here.body() + there.body())
                        .containsExactlyInAnyOrder(201, 200);
                assertThat(here.text("job_id")).isEqualTo(there.text("job_id"));
            }
        }
        assertThat(jobsUnder("pair:")).isEqualTo(ROUNDS);
    }

    private static long jobsUnder(String prefix) {
        return Database.on(postgres.dataSource())
                .transact(
                        "count",
                        tx -> tx.first(
                                        "select count(*) as n from tally.job j join tally.message m on m.id = j.id where m.key like ?",
                                        row -> row.getLong("n"),
                                        prefix + "%")
                                .orElseThrow());
    }

    private static List<Http.Reply> side(Http http, int pair, CyclicBarrier together) throws Exception {
        List<Http.Reply> replies = new ArrayList<>();
        for (int round = 0; round < ROUNDS / PAIRS; round++) {
            together.await();
            replies.add(submit(http, "pair:" + pair + ":" + round, order("o" + round)));
        }
        return replies;
    }

    /** A server that waits in vain for the other one's disk says that nothing was done. */
    private static Http.Reply submit(Http http, String key, String body) throws Exception {
        Http.Reply reply = http.submit(key, body);
        while (reply.status() == 503) {
            reply = http.submit(key, body);
        }
        return reply;
    }

    @Test
    void a_repeat_of_what_is_no_longer_kept_is_answered_and_says_so() {
        String message = "{\"to\":\"member:alice\",\"message\":\"x\"}";
        Http.Reply job = atFirst.submit("kept:job", order("k"));
        Http.Reply sent = atFirst.post("/v1/messages", message, "Idempotency-Key", "kept:message");

        // What the retention of messages says of their keys.
        Database.on(postgres.dataSource())
                .transact(
                        "forget",
                        tx -> tx.update("update tally.key set history_available = false where key like 'kept:%'"));

        saysSo(job, atSecond.submit("kept:job", order("k")));
        saysSo(sent, atSecond.post("/v1/messages", message, "Idempotency-Key", "kept:message"));
    }

    private static void saysSo(Http.Reply first, Http.Reply again) {
        assertThat(first.at("history_available")).isEqualTo(Json.of(true));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.body())
                .isEqualTo(first.body()
                        .replace("\"history_available\":true", "\"history_available\":false")
                        .replace("\"duplicate\":false", "\"duplicate\":true"));
    }

    @Test
    void keys_that_come_in_crossed_orders_do_not_block_each_other() throws Exception {
        List<Future<Integer>> all = new ArrayList<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(16)) {
            for (int client = 0; client < 16; client++) {
                boolean up = client % 2 == 0;
                Http http = client % 4 < 2 ? atFirst : atSecond;
                all.add(clients.submit(() -> {
                    int fresh = 0;
                    for (int i = 0; i < 50; i++) {
                        int number = up ? i : 49 - i;
                        int status = http.submit("crossed:" + number, order("c" + number))
                                .status();
                        assertThat(status).isIn(200, 201);
                        fresh += status == 201 ? 1 : 0;
                    }
                    return fresh;
                }));
            }
        }
        int fresh = 0;
        for (Future<Integer> each : all) {
            fresh += each.get();
        }
        assertThat(fresh).isEqualTo(50);
        assertThat(jobsUnder("crossed:")).isEqualTo(50);
    }
}
