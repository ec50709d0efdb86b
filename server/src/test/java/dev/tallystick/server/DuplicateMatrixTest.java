package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.keys.GateSettings;
import dev.tallystick.keys.KeyOwner;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.keys.ReserveKeys;
import dev.tallystick.server.http.Limits;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.TestPostgres;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The answer to a request whose key was seen before: by the state of the key, by whether it is the same request, and by whether
 * the server that is asked remembers the key; at the door for jobs and messages and at that for handlers of others.
 */
class DuplicateMatrixTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path one;

    @TempDir
    static Path two;

    @TempDir
    static Path three;

    /** Where the key is asked about, of three servers on one database. */
    enum Place {
        /** Where it got its state: the gate knows it. */
        SAME_SERVER,
        /** Where it was never heard of. */
        OTHER_SERVER,
        /** Where it got its state, but restarted since. */
        RESTARTED,
        /** The same, after it was asked there once. */
        RESTARTED_AND_ASKED
    }

    /** What became of the key before. */
    enum State {
        FREE,
        PENDING,
        COMMITTED,
        REJECTED,
        RELEASED,
        UNKNOWN;

        /** Whether it is the same after it was asked about. */
        boolean lasts() {
            return this != FREE && this != RELEASED;
        }
    }

    enum Way {
        JOBS,
        MESSAGES,
        RESERVE
    }

    record Cell(Way way, State state, boolean sameRequest, Place place) {

        String key() {
            return "matrix:" + way + ":" + state + ":" + sameRequest + ":" + place;
        }

        /** Unknown outcomes are those of a member that has died. */
        String member() {
            return state == State.UNKNOWN ? "bob" : "alice";
        }
    }

    /** How long a request waits for the verdict on its original. */
    private static final String PATIENCE_SECONDS = "0.5";

    private static ServerUnderTest first;
    private static ServerUnderTest second;
    private static ServerUnderTest restarted;
    private static final Map<String, String> TOKENS = new HashMap<>();
    private static final Map<Cell, Http.Reply> BEFORE = new HashMap<>();

    @BeforeAll
    static void bringEveryKeyIntoItsState() {
        first = ServerUnderTest.waiting(PATIENCE_SECONDS, postgres, one);
        second = ServerUnderTest.waiting(PATIENCE_SECONDS, postgres, two);
        restarted = ServerUnderTest.waiting(PATIENCE_SECONDS, postgres, three);
        first.admin().put("/v1/topics/news", "{}");
        for (String member : List.of("alice", "bob")) {
            TOKENS.put(member, first.member(member, "member").token());
        }
        cells().forEach(cell -> {
            boolean here = cell.place() == Place.SAME_SERVER || cell.place() == Place.OTHER_SERVER;
            bring(cell, http(here ? first : restarted, cell));
        });
        ReserveKeys door = new ReserveKeys(KeyRetention.DEFAULT);
        Database.on(postgres.dataSource())
                .transact("bob dies", tx -> door.recover(tx, new KeyOwner("member bob"), 1_000));
        restarted.restart();
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
        restarted.close();
    }

    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (Way way : Way.values()) {
            for (State state : way == Way.RESERVE
                    ? List.of(State.values())
                    : List.of(State.FREE, State.COMMITTED, State.REJECTED)) {
                for (boolean same : List.of(true, false)) {
                    for (Place place : Place.values()) {
                        if (state.lasts() || place != Place.RESTARTED_AND_ASKED) {
                            cells.add(new Cell(way, state, same, place));
                        }
                    }
                }
            }
        }
        return cells.stream();
    }

    static Stream<Cell> cellsOfJobsAndMessages() {
        return cells().filter(cell -> cell.way() != Way.RESERVE);
    }

    static Stream<Cell> cellsOfReservations() {
        return cells().filter(cell -> cell.way() == Way.RESERVE);
    }

    @ParameterizedTest
    @MethodSource("cellsOfJobsAndMessages")
    void a_job_or_a_message_whose_key_was_seen_before_is_answered_by_its_state(Cell cell) {
        Http.Reply reply = ask(cell);

        switch (cell.state()) {
            case COMMITTED -> isAnsweredAsBefore(cell, reply);
            // The same is refused again; under a key that it has left free, another is accepted.
            case REJECTED -> {
                if (cell.sameRequest()) {
                    Http.Reply before = before(cell);
                    assertThat(before.status()).as(before.body()).isEqualTo(400);
                    assertThat(reply.status()).as(reply.body()).isEqualTo(400);
                    assertThat(reply.body()).isEqualTo(before.body());
                } else {
                    isNew(reply);
                }
            }
            default -> isNew(reply);
        }
        boolean refused = cell.state() == State.REJECTED && cell.sameRequest();
        assertThat(made(cell)).as("jobs or messages under the key").isEqualTo(refused ? 0 : 1);
    }

    @ParameterizedTest
    @MethodSource("cellsOfReservations")
    void a_reservation_of_a_key_that_was_seen_before_is_answered_by_its_state(Cell cell) {
        long begin = System.nanoTime();
        Http.Reply reply = ask(cell);
        Duration waited = Duration.ofNanos(System.nanoTime() - begin);

        if (!cell.state().lasts()) {
            isNew(reply);
            assertThat(reply.text("status")).isEqualTo("reserved");
        } else if (!cell.sameRequest()) {
            isReused(reply);
        } else {
            switch (cell.state()) {
                case PENDING -> {
                    assertThat(waited).isGreaterThanOrEqualTo(Duration.parse("PT" + PATIENCE_SECONDS + "S"));
                    assertThat(reply.code()).as(reply.body()).isEqualTo("request_in_progress");
                    assertThat(reply.status()).isEqualTo(409);
                    assertThat(reply.header("Retry-After")).isEqualTo("1");
                    assertThat(reply.text("reservation_id"))
                            .isEqualTo(before(cell).text("reservation_id"));
                }
                case UNKNOWN -> {
                    assertThat(reply.code()).as(reply.body()).isEqualTo("outcome_unresolved");
                    assertThat(reply.status()).isEqualTo(409);
                    assertThat(reply.text("reservation_id"))
                            .isEqualTo(before(cell).text("reservation_id"));
                }
                default -> {
                    isReplayed(reply);
                    assertThat(reply.body()).isEqualTo(before(cell).body());
                    assertThat(reply.at("response")).isEqualTo(Json.of(cell.key()));
                }
            }
        }
    }

    /** While the original is in progress there is no second one, and no answer claims anything uncertain. */
    @Test
    void a_request_whose_original_is_under_way_waits_is_told_so_and_gets_its_answer_in_the_end() throws Exception {
        Gate written = new Gate("the original before its commit");
        CrashPoints points = point -> {
            if (point == BrokerCrashPoint.MESSAGES_WRITTEN) {
                written.pass();
            }
        };
        ServerSettings settings = ServerUnderTest.settings(postgres.url(), one);
        ServerSettings impatient = settings.withBroker(
                settings.broker().withGate(GateSettings.from(Map.of(GateSettings.PENDING_WAIT, "0.2"))));
        try (TallyServer slow = TallyServer.start(impatient, Limits.DEFAULT, points);
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            Http here = new Http(slow.address(), token("alice"));
            Http elsewhere = new Http(second.server().address(), token("alice"));
            Cell cell = new Cell(Way.JOBS, State.PENDING, true, Place.SAME_SERVER);
            Future<Http.Reply> original = clients.submit(() -> send(here, cell, true));
            written.awaitArrival();

            Http.Reply same = send(here, cell, true);
            Http.Reply other = send(here, cell, false);
            Http.Reply there = send(elsewhere, cell, true);
            written.open();
            Http.Reply accepted = original.get();

            isNew(accepted);
            for (Http.Reply told : List.of(same, other, there)) {
                assertThat(told.code()).as(told.body()).isEqualTo("request_in_progress");
                assertThat(told.header("Retry-After")).matches("[1-9][0-9]*");
            }
            for (Http.Reply told : List.of(same, other)) {
                assertThat(told.text("original_id")).isEqualTo(accepted.text("job_id"));
            }
            BEFORE.put(cell, accepted);
            isAnsweredAsBefore(cell, send(here, cell, true));
            isAnsweredAsBefore(cell, send(elsewhere, cell, true));
            isReused(send(here, cell, false));
            isReused(send(elsewhere, cell, false));
            assertThat(made(cell)).isEqualTo(1);
        }
    }

    /** At the other door the original may be under way for as long as its holder likes. */
    @Test
    void of_64_equal_reservations_at_once_one_is_held_and_the_others_are_told_which() throws Exception {
        Http http = new Http(first.server().address(), token("alice"));
        List<Future<Http.Reply>> replies = new ArrayList<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 64; i++) {
                replies.add(clients.submit(() -> reserve(http, "crowd", true)));
            }
        }
        List<Http.Reply> all = new ArrayList<>();
        for (Future<Http.Reply> reply : replies) {
            all.add(reply.get());
        }

        assertThat(all).filteredOn(reply -> reply.status() == 201).hasSize(1);
        assertThat(all)
                .filteredOn(reply -> reply.status() == 409)
                .hasSize(63)
                .allMatch(reply -> reply.code().equals("request_in_progress"));
        assertThat(all.stream().map(reply -> reply.text("reservation_id")).distinct())
                .hasSize(1);
    }

    private static void isNew(Http.Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        assertThat(reply.header("Idempotency-Replayed")).isEmpty();
    }

    private static void isAnsweredAsBefore(Cell cell, Http.Reply reply) {
        if (cell.sameRequest()) {
            isReplayed(reply);
            assertThat(reply.body())
                    .isEqualTo(before(cell).body().replace("\"duplicate\":false", "\"duplicate\":true"))
                    .contains("\"duplicate\":true");
        } else {
            isReused(reply);
        }
    }

    private static void isReplayed(Http.Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        assertThat(reply.header("Idempotency-Replayed")).isEqualTo("true");
    }

    private static void isReused(Http.Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(409);
        assertThat(reply.code()).isEqualTo("idempotency_key_reused");
        assertThat(reply.text("bound_fingerprint")).hasSize(16).isNotEqualTo(reply.text("offered_fingerprint"));
        assertThat(reply.text("offered_fingerprint")).hasSize(16);
        assertThat(reply.header("Idempotency-Replayed")).isEmpty();
    }

    private static void bring(Cell cell, Http http) {
        Http.Reply reply = switch (cell.state()) {
            case FREE -> null;
            case REJECTED -> cell.way() == Way.RESERVE ? settled(http, cell, "reject") : send(http, cell, true);
            case COMMITTED -> cell.way() == Way.RESERVE ? settled(http, cell, "commit") : send(http, cell, true);
            case RELEASED -> settled(http, cell, "release");
            case PENDING, UNKNOWN -> reserve(http, cell.key(), true);
        };
        if (reply != null) {
            BEFORE.put(cell, reply);
        }
    }

    private static Http.Reply ask(Cell cell) {
        ServerUnderTest server = switch (cell.place()) {
            case SAME_SERVER -> first;
            case OTHER_SERVER -> second;
            case RESTARTED, RESTARTED_AND_ASKED -> restarted;
        };
        Http http = http(server, cell);
        if (cell.place() == Place.RESTARTED_AND_ASKED) {
            send(http, cell, true);
        }
        return send(http, cell, cell.sameRequest());
    }

    private static Http.Reply send(Http http, Cell cell, boolean same) {
        String content = (same ? "one " : "other ") + cell.key() + ".";
        // What the request alone decides, and what another request under the key does better.
        boolean refused = cell.state() == State.REJECTED && same;
        return switch (cell.way()) {
            case JOBS ->
                http.submit(
                        cell.key(),
                        "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"" + content + "\"}"
                                + (refused ? ",\"attributes\":{\"no name\":\"x\"}}" : "}"));
            case MESSAGES ->
                http.post(
                        "/v1/messages",
                        "{\"to\":\"topic:news\",\"message\":\"" + content + "\""
                                + (refused ? ",\"mentions\":[" + "\"m\",".repeat(100) + "\"m\"]}" : "}"),
                        "Idempotency-Key",
                        cell.key());
            case RESERVE -> reserve(http, cell.key(), same);
        };
    }

    private static Http.Reply reserve(Http http, String key, boolean same) {
        return http.post(
                "/v1/keys/" + key + "/reserve", "{\"fingerprint\":\"" + (same ? "11" : "22").repeat(32) + "\"}");
    }

    private static Http.Reply settled(Http http, Cell cell, String verb) {
        Http.Reply held = reserve(http, cell.key(), true);
        String response = verb.equals("release") ? "" : ",\"response\":\"" + cell.key() + "\"";
        return http.post(
                "/v1/keys/" + cell.key() + "/" + verb,
                "{\"reservation_id\":\"" + held.text("reservation_id") + "\",\"fence\":"
                        + held.at("fence").canonical() + response + "}");
    }

    private static Http.Reply before(Cell cell) {
        return Objects.requireNonNull(BEFORE.get(cell));
    }

    private static Http http(ServerUnderTest server, Cell cell) {
        return new Http(server.server().address(), token(cell.member()));
    }

    private static String token(String member) {
        return Objects.requireNonNull(TOKENS.get(member));
    }

    /** How many jobs or messages there are with what was asked under the key. */
    private static long made(Cell cell) {
        String counting = cell.way() == Way.JOBS
                ? "select count(*) as n from tally.job where position(? in input) > 0"
                : "select count(*) as n from tally.message where position(? in body) > 0";
        byte[] content = (cell.key() + ".").getBytes(StandardCharsets.UTF_8);
        return Database.on(postgres.dataSource())
                .transact(
                        "count",
                        tx -> tx.first(counting, row -> row.getLong("n"), (Object) content)
                                .orElseThrow());
    }
}
