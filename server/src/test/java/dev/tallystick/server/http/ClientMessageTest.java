package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.EventStream;
import dev.tallystick.client.Messages;
import dev.tallystick.client.Messages.NewMessage;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyClient.NewJob;
import dev.tallystick.client.mint.KeyMint;
import dev.tallystick.core.Destination;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.server.FlakyLine;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Messages through the Java SDK: sent, read back, found, followed. */
@Timeout(120)
class ClientMessageTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    private static final int MANY = 60;
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Destination INBOX = Destination.parse("member:bob");

    private ServerUnderTest server;
    private TallyClient alice;
    private TallyClient bob;

    @BeforeEach
    void start() {
        server = ServerUnderTest.on(postgres, data);
        connect();
    }

    private void connect() {
        alice = client(server.member("alice", "member"));
        bob = client(server.member("bob", "member"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static TallyClient client(Http http) {
        return new TallyClient(http.server(), http.token());
    }

    private Messages.Sent send(String text) {
        return alice.messages().send(NewMessage.to(INBOX, Json.of(text)), new IdempotencyKey("say:" + text));
    }

    private static List<String> texts(List<Messages.Entry> entries) {
        return entries.stream()
                .map(entry -> ((Json.StringValue) entry.message().body()).value())
                .toList();
    }

    @Test
    void a_message_is_sent_once_under_its_key_and_read_back_as_it_was_sent() {
        Messages.Sent question = send("where?");
        NewMessage answer = NewMessage.toMember("alice", Json.parse("{\"at\":\"noon\"}"))
                .withPriority(Priority.NOW)
                .withMeta(new Json.ObjectValue(Map.of("source", Json.of("desk"))))
                .mentioning("alice")
                .inReplyTo(question.message());

        Messages.Sent first = bob.messages().send(answer, new IdempotencyKey("b:1"));
        Messages.Sent again = bob.messages().send(answer, new IdempotencyKey("b:1"));
        Messages.Message read = alice.messages().find(first.message());

        assertThat(first.duplicate()).isFalse();
        assertThat(again).isEqualTo(new Messages.Sent(first.message(), true, true));
        assertThat(read.from()).isEqualTo("bob");
        assertThat(read.to()).isEqualTo(answer.to());
        assertThat(read.body()).isEqualTo(answer.body());
        assertThat(read.priority()).isEqualTo(Priority.NOW);
        assertThat(read.meta()).isEqualTo(answer.meta());
        assertThat(read.mentions()).containsExactly("alice");
        assertThat(read.replyTo()).isEqualTo(question.message().toString());
        assertThat(read.key()).isEqualTo("b:1");
        assertThat(alice.messages().mentions(Messages.BEGINNING, 10).entries())
                .extracting(Messages.Entry::message)
                .containsExactly(read);
    }

    @Test
    void a_repeat_of_what_is_no_longer_kept_says_so() {
        NewJob order = NewJob.of("sample.order", Json.parse("{\"order\":\"1\"}"));
        Messages.Sent sent = send("kept");
        TallyClient.Submitted submitted = alice.submit(order, new IdempotencyKey("say:order"));

        // What the retention of messages says of their keys, to a server that does not remember them.
        Database.on(postgres.dataSource())
                .transact(
                        "forget",
                        tx -> tx.update("update tally.key set history_available = false where key like 'say:%'"));
        server.restart();
        connect();

        assertThat(sent.historyAvailable()).isTrue();
        assertThat(submitted.historyAvailable()).isTrue();
        assertThat(send("kept")).isEqualTo(new Messages.Sent(sent.message(), false, true));
        TallyClient.Submitted again = alice.submit(order, new IdempotencyKey("say:order"));
        assertThat(again.job()).isEqualTo(submitted.job());
        assertThat(again.historyAvailable()).isFalse();
    }

    @Test
    void a_mint_has_the_key_of_a_message_until_it_is_sent(@TempDir Path directory) {
        try (KeyMint mint = KeyMint.open(directory.resolve("mint"), "desk-1", new SecureRandom())) {
            Messages.Sent sent = alice.messages().send(NewMessage.to(INBOX, Json.of("hello")), mint, "greet bob");

            assertThat(sent.duplicate()).isFalse();
            assertThat(mint.unsettled()).isEmpty();
        }
    }

    @Test
    void a_destination_that_does_not_exist_is_refused() {
        assertThatThrownBy(() ->
                        alice.messages().send(NewMessage.toTopic("nowhere", Json.of("x")), new IdempotencyKey("n:1")))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo("unknown_topic"));
    }

    @Test
    void the_history_is_read_page_by_page() {
        List.of("one", "two", "three").forEach(this::send);

        Messages.Page first = Eventually.value(
                "two are numbered",
                () -> bob.messages().history(INBOX, Messages.BEGINNING, 2),
                page -> page.entries().size() == 2);
        Messages.Page rest = Eventually.value(
                "the third is numbered",
                () -> bob.messages().history(INBOX, first.next(), 2),
                page -> !page.entries().isEmpty());

        assertThat(texts(first.entries())).containsExactly("one", "two");
        assertThat(texts(rest.entries())).containsExactly("three");
    }

    @Test
    void an_observer_finds_messages_by_their_words() {
        TallyClient observer = client(server.member("eve", "observer"));
        send("the pump is dry");
        send("the valve is open");

        Messages.Page found = Eventually.value(
                "it can be found",
                () -> observer.messages().search("pump", Messages.BEGINNING, 10),
                page -> !page.entries().isEmpty());

        assertThat(texts(found.entries())).containsExactly("the pump is dry");
    }

    @Test
    void who_follows_misses_nothing_and_gets_nothing_twice_also_over_a_restart() {
        List<Messages.Entry> seen = new ArrayList<>();
        long position;
        try (EventStream<Messages.Entry> inbox = bob.messages().follow(INBOX, Messages.BEGINNING)) {
            send("one");
            seen.add(inbox.next(SOON).orElseThrow());
            send("two");
            seen.add(inbox.next(SOON).orElseThrow());
            position = inbox.position();
        }
        server.restart();
        connect();
        send("three");
        try (EventStream<Messages.Entry> inbox = bob.messages().follow(INBOX, position)) {
            seen.add(inbox.next(SOON).orElseThrow());
            assertThat(inbox.next(Duration.ofMillis(1))).isEmpty();
        }

        assertThat(texts(seen)).containsExactly("one", "two", "three");
        assertThat(seen).extracting(Messages.Entry::position).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void who_follows_over_a_line_that_breaks_again_and_again_misses_nothing_either() throws Exception {
        Random random = new Random(42);
        List<String> sent = IntStream.range(0, MANY).mapToObj(i -> "m" + i).toList();
        List<Messages.Entry> seen = new ArrayList<>();
        try (FlakyLine line = new FlakyLine(server.server().address(), () -> random.nextInt(100, 4_000));
                EventStream<Messages.Entry> inbox = new TallyClient(
                                line.address(), server.member("bob", "member").token())
                        .messages()
                        .follow(INBOX, Messages.BEGINNING)) {
            for (String text : sent) {
                send(text);
            }
            while (seen.size() < MANY) {
                seen.add(inbox.next(SOON).orElseThrow());
            }
            assertThat(line.breaks()).isGreaterThan(3);
        }

        assertThat(texts(seen)).isEqualTo(sent);
    }

    @Test
    void who_waits_is_let_go_when_it_is_closed() {
        EventStream<Messages.Entry> inbox = bob.messages().follow(INBOX, Messages.BEGINNING);
        List<String> read = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> reading = CompletableFuture.runAsync(
                () -> inbox.forEach(
                        entry -> read.add(((Json.StringValue) entry.message().body()).value())),
                task -> Thread.ofVirtual().start(task));
        send("one");
        Eventually.holds("it is read", () -> server.server().waits().number() == 1 && read.size() == 1);

        inbox.close();
        reading.join();

        assertThat(inbox.isOver()).isTrue();
        assertThat(read).containsExactly("one");
    }

    @Test
    void who_may_not_read_any_more_is_told_so() {
        try (EventStream<Messages.Entry> inbox = bob.messages().follow(INBOX, Messages.BEGINNING)) {
            send("one");
            assertThat(inbox.next(SOON)).isPresent();
            server.admin().delete("/v1/members/bob");

            assertThatThrownBy(() -> inbox.next(SOON))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.code()).isEqualTo("unauthenticated"));
        }
    }
}
