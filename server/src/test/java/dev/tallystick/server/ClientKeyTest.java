package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.Keys;
import dev.tallystick.client.Keys.Answer;
import dev.tallystick.client.Keys.Reserve;
import dev.tallystick.client.Keys.Verdict;
import dev.tallystick.client.Once;
import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Something that is done once under a key, through the Java SDK. */
@Timeout(120)
class ClientKeyTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final Fingerprint CHARGE = Fingerprint.of("charge", "{\"order\":\"42\"}");
    private static final Json RECEIPT = Json.parse("{\"receipt\":7}");
    private static final String RESERVED =
            "{\"key\":\"k\",\"status\":\"reserved\",\"reservation_id\":\"00000000-0000-7000-8000-000000000001\",\"fence\":1}";

    private static ServerUnderTest server;
    private static Keys keys;

    private final AtomicInteger runs = new AtomicInteger();

    @BeforeAll
    static void start() {
        server = ServerUnderTest.waiting("1", postgres, data);
        Http http = server.member("shop", "member");
        keys = new TallyClient(http.server(), http.token()).keys();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static IdempotencyKey key(String text) {
        return new IdempotencyKey(text);
    }

    private Verdict charge() {
        runs.incrementAndGet();
        return Verdict.commit(RECEIPT);
    }

    @Test
    void an_admin_finds_who_holds_a_key_and_resolves_it_and_the_holder_comes_too_late() {
        IdempotencyKey key = new IdempotencyKey("k:left");
        Keys.Reservation left = ((Reserve.Reserved) keys.reserve(key, CHARGE)).reservation();
        Keys admin = new TallyClient(server.admin().server(), server.admin().token()).keys();

        Keys.Held held = admin.find(key).getFirst();
        assertThat(admin.open(100)).contains(held);
        admin.resolve(held, Verdict.commit(RECEIPT));

        assertThat(held.reservation()).isEqualTo(left);
        assertThat(held.member()).isEqualTo("shop");
        assertThat(held.status()).isEqualTo("pending");
        assertThat(admin.open(100)).noneMatch(open -> open.reservation().key().equals(key));
        assertThat(keys.find(key)).singleElement().extracting(Keys.Held::status).isEqualTo("committed");
        assertThat(keys.find(new IdempotencyKey("k:unused"))).isEmpty();
        assertThat(keys.reserve(key, CHARGE)).isEqualTo(new Reserve.Replayed(new Answer(RECEIPT, false)));
        assertThatThrownBy(() -> keys.commit(left, RECEIPT))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo("reservation_lost"));
    }

    @Test
    void a_handler_runs_once_and_repeats_get_its_answer() {
        Once first = keys.once(key("order/42 ü"), CHARGE, this::charge);
        Once again = keys.once(key("order/42 ü"), CHARGE, this::charge);

        assertThat(first).isEqualTo(new Once.Ran(new Answer(RECEIPT, false)));
        assertThat(again).isEqualTo(new Once.Replayed(new Answer(RECEIPT, false)));
        assertThat(runs).hasValue(1);
    }

    @Test
    void a_rejection_is_an_answer_and_a_release_is_none() {
        assertThat(keys.once(key("r:1"), CHARGE, Verdict::release)).isEqualTo(new Once.Released());
        assertThat(keys.once(key("r:1"), CHARGE, () -> Verdict.reject(Json.of("no"))))
                .isEqualTo(new Once.Ran(new Answer(Json.of("no"), true)));
        assertThat(keys.once(key("r:1"), CHARGE, this::charge))
                .isEqualTo(new Once.Replayed(new Answer(Json.of("no"), true)));
        assertThat(runs).hasValue(0);
    }

    @Test
    void a_key_that_stands_for_something_else_is_refused() {
        keys.once(key("o:1"), CHARGE, this::charge);

        assertThatThrownBy(() -> keys.once(key("o:1"), Fingerprint.of("charge", "other"), this::charge))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo("idempotency_key_reused"));
        assertThat(runs).hasValue(1);
    }

    @Test
    void a_handler_that_throws_leaves_the_key_to_whoever_finds_out() {
        assertThatThrownBy(() -> keys.once(key("t:1"), CHARGE, () -> {
                    throw new IOException("no answer from the bank");
                }))
                .isInstanceOf(IOException.class);

        Once repeat = keys.once(key("t:1"), CHARGE, this::charge);

        assertThat(repeat).isInstanceOfSatisfying(Once.InProgress.class, left -> {
            keys.commit(left.reservation(), RECEIPT);
            keys.commit(left.reservation(), RECEIPT);
        });
        assertThat(keys.once(key("t:1"), CHARGE, this::charge)).isInstanceOf(Once.Replayed.class);
        assertThat(runs).hasValue(0);
    }

    @Test
    void a_verdict_that_comes_too_late_is_overruled() {
        Once once = keys.once(key("l:1"), CHARGE, () -> {
            Reserve seen = keys.reserve(key("l:1"), CHARGE);
            keys.reject(((Reserve.InProgress) seen).reservation(), Json.of("the bank says no"));
            return charge();
        });

        assertThat(once).isEqualTo(new Once.Overruled());
        assertThat(keys.reserve(key("l:1"), CHARGE))
                .isEqualTo(new Reserve.Replayed(new Answer(Json.of("the bank says no"), true)));
    }

    @Test
    void a_reservation_is_its_own_when_it_is_asked_for_again() {
        UUID id = UUID.fromString("00000000-0000-7000-8000-00000000000a");
        Reserve first = keys.reserve(key("s:1"), CHARGE, id);

        assertThat(keys.reserve(key("s:1"), CHARGE, id)).isEqualTo(first);
        keys.release(((Reserve.Reserved) first).reservation());
        assertThat(keys.reserve(key("s:1"), CHARGE)).isInstanceOf(Reserve.Reserved.class);
    }

    @Test
    void a_handler_whose_verdict_was_lost_does_not_run_again() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer(
                ScriptedServer.answer(201, RESERVED),
                ScriptedServer.refuse(401, "unauthenticated"),
                ScriptedServer.answer(200, "{\"key\":\"k\",\"status\":\"committed\"}"))) {
            Keys lossy = new TallyClient(scripted.address(), "t").keys();

            assertThatThrownBy(() -> lossy.once(key("k"), CHARGE, this::charge))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("the handler ran under the key k")
                    .hasCauseInstanceOf(RefusedException.class);
            assertThat(lossy.once(key("k"), CHARGE, this::charge))
                    .isEqualTo(new Once.Replayed(new Answer(RECEIPT, false)));
            assertThat(runs).hasValue(1);
            assertThat(scripted.paths())
                    .containsExactly("/v1/keys/k/reserve", "/v1/keys/k/commit", "/v1/keys/k/commit");
        }
    }

    @Test
    void a_reservation_whose_answer_was_lost_is_asked_for_again_under_the_same_id() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer(
                ScriptedServer.hangUp(),
                ScriptedServer.refuse(401, "unauthenticated"),
                ScriptedServer.answer(201, RESERVED),
                ScriptedServer.answer(200, "{\"key\":\"k\",\"status\":\"committed\"}"))) {
            Keys lossy = new TallyClient(scripted.address(), "t", Duration.ofSeconds(10)).keys();

            assertThatThrownBy(() -> lossy.once(key("k"), CHARGE, this::charge))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThat(runs).hasValue(0);
            assertThat(lossy.once(key("k"), CHARGE, this::charge)).isInstanceOf(Once.Ran.class);
            assertThat(scripted.requests().subList(0, 3))
                    .hasSize(3)
                    .containsOnly(scripted.requests().getFirst());
        }
    }
}
