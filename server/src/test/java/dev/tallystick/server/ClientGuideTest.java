package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.Deliveries.Delivery;
import dev.tallystick.client.Deliveries.Take;
import dev.tallystick.client.EventStream;
import dev.tallystick.client.Jobs;
import dev.tallystick.client.Keys.Verdict;
import dev.tallystick.client.Messages;
import dev.tallystick.client.Messages.NewMessage;
import dev.tallystick.client.Once;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyClient.NewJob;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.client.mint.KeyMint;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.JobApi.EventPage;
import dev.tallystick.core.api.MemberApi.TokenIssued;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The Java of the guide about the Java client. */
@Timeout(120)
class ClientGuideTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;

    private static URI address;
    private static String token;

    private final List<String> seen = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        address = server.server().address();
        token = server.admin().token();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a_job_is_submitted_and_followed() {
        Json input = Json.parse("{\"order\":\"42\"}");

        TallyClient client = new TallyClient(address, token);
        TallyClient.Submitted order = client.submit(NewJob.of("sample.order", input), new IdempotencyKey("order:42"));
        TallyClient.Result result = client.result(order.job(), Duration.ofSeconds(30));

        if (result.output() instanceof Json.ObjectValue output
                && output.members().get("status") instanceof Json.StringValue status) {
            show("status", status.value());
            show("all", output.canonical());
        }

        assertThat(seen)
                .startsWith("status confirmed")
                .last()
                .asString()
                .startsWith("all {")
                .contains("\"status\":");
        seen.clear();
        try (EventStream<EventPage.Event> events = client.jobs().follow(order.job(), Jobs.BEGINNING)) {
            events.forEach(event -> show(event.event(), event.name()));
        }
        assertThat(result.status()).isEqualTo("completed");
        assertThat(seen).startsWith("accepted null").contains("returned charge").endsWith("closed null");
    }

    @Test
    void a_key_is_on_disk_before_it_is_sent() {
        TallyClient client = new TallyClient(address, token);
        Path file = data.resolve("mint");
        Json approval = Json.parse("{\"by\":\"ann\"}");
        UUID job = client.submit(
                        NewJob.of("sample.approval", Json.parse("{\"order\":\"43\"}")), new IdempotencyKey("order:43"))
                .job();

        try (KeyMint mint = KeyMint.open(file, "desk-1", new SecureRandom())) {
            mint.under("approve order 43", key -> client.signal(job, "approved", approval, key));
        }

        assertThat(client.result(job, Duration.ofSeconds(30)).status()).isEqualTo("completed");
    }

    private void show(String event, @Nullable String name) {
        seen.add(event + " " + name);
    }

    @Test
    void a_message_is_sent_taken_and_acknowledged() {
        TallyClient client = new TallyClient(address, token);
        client.members().put("billing", Role.MEMBER);
        client.topics().create("orders");
        client.topics().subscribe("orders", "admin");
        Json body = Json.parse("{\"order\":\"42\"}");

        client.messages()
                .send(NewMessage.toTopic("orders", body).mentioning("billing"), new IdempotencyKey("order:42:created"));
        List<Delivery> taken = client.deliveries().take(Take.atMost(10).waiting(Duration.ofSeconds(20)));
        for (Delivery delivery : taken) {
            book(delivery.message());
            client.deliveries().acknowledge(delivery);
        }

        assertThat(seen).contains(body.canonical());
    }

    private void book(Messages.Message message) {
        seen.add(message.body().canonical());
    }

    private final CompletableFuture<Long> remembered = new CompletableFuture<>();

    @Test
    void a_topic_is_followed() throws Exception {
        TallyClient client = new TallyClient(address, token);
        client.topics().create("orders");
        client.messages().send(NewMessage.toTopic("orders", Json.of("one")), new IdempotencyKey("order:1"));

        Thread reader = Thread.ofVirtual().start(() -> readOrders(client, Messages.BEGINNING));
        long reached = remembered.get(30, TimeUnit.SECONDS);
        reader.interrupt();
        reader.join();

        assertThat(reached).isGreaterThan(Messages.BEGINNING);
        assertThat(seen).isNotEmpty();
    }

    private void readOrders(TallyClient client, long position) {
        try (EventStream<Messages.Entry> orders =
                client.messages().follow(Destination.parse("topic:orders"), position)) {
            for (Messages.Entry entry : orders) {
                read(entry.message());
                remember(entry.position());
            }
        } catch (UnavailableException interrupted) {
            // The test has seen enough.
        }
    }

    private void read(Messages.Message message) {
        book(message);
    }

    private void remember(long position) {
        remembered.complete(position);
    }

    /** Who does something that must not be done twice. */
    private interface Bank {
        Json charge(Json payment);
    }

    @Test
    void a_payment_is_made_once() {
        TallyClient client = new TallyClient(address, token);
        Json payment = Json.parse("{\"amount\":7}");
        Bank bank = charged -> Json.of("receipt 1");

        assertThat(charge(client, payment, bank)).startsWith("charged: ");
        assertThat(charge(client, payment, bank)).startsWith("charged before: ");
    }

    private static String charge(TallyClient client, Json payment, Bank bank) {
        Fingerprint request = Fingerprint.of("charge", payment.canonical());
        Once once = client.keys()
                .once(new IdempotencyKey("charge:42"), request, () -> Verdict.commit(bank.charge(payment)));
        String told = switch (once) {
            case Once.Ran ran -> "charged: " + ran.answer().response();
            case Once.Replayed before -> "charged before: " + before.answer().response();
            case Once.Released nothing -> "nothing happened: ask again";
            case Once.InProgress elsewhere -> "another process is at it, or died: ask again later";
            case Once.Unresolved unknown -> "find out what happened, then settle it";
            case Once.Overruled late -> "an admin has settled it";
        };
        return told;
    }

    @Test
    void a_member_gets_a_token() {
        TallyClient client = new TallyClient(address, token);

        client.members().put("billing", Role.MEMBER, Role.WORKER);
        TokenIssued issued = client.tokens().issue("billing", Duration.ofDays(30));
        TallyClient billing = new TallyClient(address, issued.token());

        assertThat(billing.members().me().name()).isEqualTo("billing");
    }
}
