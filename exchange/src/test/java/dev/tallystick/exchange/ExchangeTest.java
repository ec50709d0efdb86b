package dev.tallystick.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.books.View;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.producer.Draft;
import dev.tallystick.exchange.producer.Posted;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.producer.Settled;
import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ExchangeTest {

    @RegisterExtension
    static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    static final TestPostgres globexs = Party.postgres();

    private final Transport transport = new PostgresTransport(Database.on(acmes.dataSource()), "test");
    private final Party acme = Party.acme(acmes.dataSource());
    private final Party globex = Party.globex(globexs.dataSource());

    @AfterEach
    void close() {
        acme.close();
        globex.close();
        transport.close();
    }

    @Test
    void a_posting_is_handled_and_both_sides_record_the_outcome() {
        globex.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);

        assertThat(producer.request(Party.order("1")).join()).isEqualTo(new Settled.Ok(Payload.of("done order 1")));
        assertThat(producer.request(Party.order("2", Party.REFUSED)).join())
                .isEqualTo(new Settled.Rejected("not today", Payload.EMPTY));
        TransportContract.awaitSettled(acme, globex);
        TransportContract.assertBooks(acme, globex, 2);
    }

    @Test
    void the_same_request_again_gets_the_same_outcome_and_other_content_is_refused() {
        globex.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);
        Settled first = producer.request(Party.order("1")).join();

        assertThat(Producer.join(producer.post(Party.order("1")))).isInstanceOf(Posted.Repeated.class);
        assertThat(producer.request(Party.order("1")).join()).isEqualTo(first);
        assertThat(Producer.join(producer.post(Party.order("1", "other")))).isInstanceOf(Posted.IdReused.class);
        assertThatThrownBy(() -> producer.request(Party.order("1", "other")).join())
                .hasMessageContaining("use another id");
        assertThat(globex.effects()).containsExactly("1");
    }

    @Test
    void a_posting_belongs_to_the_transaction_of_its_caller() {
        Producer producer = acme.producing(transport, Party.FAST);
        assertThatThrownBy(() -> acme.database().transact("roll back", tx -> {
                    producer.post(tx, Party.order("lost"));
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        acme.database().transact("commit", tx -> producer.post(tx, Party.order("kept")));
        producer.wake();
        globex.consuming(transport);

        assertThat(producer.result(new MessageId("kept")).join()).isInstanceOf(Settled.Ok.class);
        assertThat(acme.records().list(true, 10)).extracting(View::id).containsExactly("kept");
    }

    @Test
    void a_repeated_posting_gets_the_stored_result_byte_for_byte_without_running_the_handler() {
        globex.consuming(transport);
        List<byte[]> postings = new ArrayList<>();
        Transport spy = new ListeningTransport(transport, Topic.POSTINGS, postings::addAll);
        Producer producer = acme.producing(spy, Party.FAST);
        producer.request(Party.order("1")).join();
        TransportContract.awaitSettled(acme, globex);
        acme.close();

        List<byte[]> answers = answersTo(postings.getFirst(), 2);
        assertThat(answers.get(0)).isEqualTo(answers.get(1));
        assertThat(new String(answers.get(0), UTF_8)).contains("\"type\":\"result\"");
        assertThat(globex.effects()).containsExactly("1");
    }

    private List<byte[]> answersTo(byte[] posting, int times) {
        List<byte[]> answers = new ArrayList<>();
        for (int i = 1; i <= times; i++) {
            int wanted = i;
            transport.publish(new Address(Topic.POSTINGS, Party.GLOBEX), List.of(posting));
            Eventually.holds("an answer", () -> {
                transport.receive(new Address(Topic.RESULTS, Party.ACME), 100, Duration.ofMillis(50), answers::addAll);
                return answers.size() >= wanted;
            });
        }
        return answers;
    }

    @Test
    void a_slow_handler_gets_a_receipt_out_first_and_keeps_its_lease() {
        Signal finish = new Signal("the handler may finish");
        AtomicInteger starts = new AtomicInteger();
        globex.consuming(transport, Party.FAST, (request, tx) -> {
            starts.incrementAndGet();
            finish.await();
            return Outcome.ok("late");
        });
        Producer producer = acme.producing(transport, Party.FAST);
        CompletableFuture<Settled> outcome = producer.request(Party.order("1"));

        // Several leases and replays long.
        Eventually.holds(
                "replays",
                () -> acme.records().show(new MessageId("1")).getFirst().replays() >= 3);
        assertThat(acme.records()
                        .show(new MessageId("1"))
                        .getFirst()
                        .status()
                        .ack()
                        .name())
                .isEqualTo("ACKED_POSTING");
        finish.fire();

        assertThat(outcome.join()).isEqualTo(new Settled.Ok(Payload.of("late")));
        assertThat(starts).hasValue(1);
    }

    @Test
    void postings_with_an_order_key_are_handled_in_order_although_they_arrive_in_disorder() {
        List<String> handled = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger failures = new AtomicInteger();
        Producer producer =
                acme.producing(new ListeningTransport(transport, Topic.POSTINGS, Collections::reverse), Party.FAST);
        for (int i = 1; i <= 20; i++) {
            Producer.join(producer.post(Party.order("a" + i).inOrderOf("account-a")));
            Producer.join(producer.post(Party.order("b" + i).inOrderOf("account-b")));
        }
        globex.consuming(transport, Party.FAST, (request, tx) -> {
            if (failures.incrementAndGet() == 7) {
                throw new IllegalStateException("once");
            }
            handled.add(request.id().value());
            return Party.handle(request, tx);
        });

        TransportContract.awaitSettled(acme, globex);
        for (String account : List.of("a", "b")) {
            assertThat(globex.effects().stream().filter(id -> id.startsWith(account)))
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, 20)
                            .mapToObj(i -> account + i)
                            .toList());
        }
        assertThat(handled).hasSize(40);
    }

    @Test
    void handlers_that_share_a_transaction_fail_alone_and_each_has_one_effect() {
        AtomicInteger failures = new AtomicInteger();
        Producer producer = acme.producing(transport, Party.FAST);
        for (int i = 1; i <= 40; i++) {
            Producer.join(producer.post(Party.order("" + i)));
        }
        globex.consuming(
                transport, Party.FAST.withParallelism(200, 1).withHandlersPerTransaction(16), (request, tx) -> {
                    if (request.id().value().equals("7") && failures.incrementAndGet() <= 2) {
                        throw new IllegalStateException("fails twice");
                    }
                    return Party.handle(request, tx);
                });

        TransportContract.awaitSettled(acme, globex);
        TransportContract.assertBooks(acme, globex, 40);
        // On a busy machine a shared transaction may be rolled back for other reasons; the books above say that it
        // worked once.
        assertThat(failures).hasValueGreaterThanOrEqualTo(3);
        assertThat(globex.records().show(new MessageId("7")).getFirst().audit())
                .filteredOn(line -> line.contains("handler failed"))
                .hasSizeBetween(1, 2);
    }

    @Test
    void several_instances_of_both_sides_share_the_work_and_each_posting_is_replayed_by_one() {
        Party acmeToo = Party.acme(acmes.dataSource(), "2", CrashPoints.NONE);
        Party globexToo = Party.globex(globexs.dataSource(), "2", CrashPoints.NONE);
        try (acmeToo;
                globexToo) {
            Producer producer = acme.producing(transport, Party.FAST);
            Producer other = acmeToo.producing(transport, Party.FAST);
            TransportContract.post(producer, 40);
            Eventually.holds(
                    "a retry",
                    () -> acme.records()
                                    .show(TransportContract.id(0))
                                    .getFirst()
                                    .attempts()
                            >= 2);
            globex.consuming(transport);
            globexToo.consuming(transport);

            assertThat(other.result(TransportContract.id(39)).join()).isInstanceOf(Settled.class);
            TransportContract.awaitSettled(acme, globex);
            TransportContract.assertBooks(acme, globex, 40);
        }
    }

    @Test
    void an_unanswered_posting_bails_out_with_its_attempts_recorded_and_begins_again() {
        Producer producer = acme.producing(transport, Party.FAST);
        Producer.join(producer.post(Party.order("1")));

        View bailed = Eventually.value(
                "it bails out",
                () -> acme.records().show(new MessageId("1")).getFirst(),
                view -> view.audit().stream().anyMatch(line -> line.contains("no receipt after 5 attempts")));
        assertThat(bailed.status().toString()).isEqualTo("NACKED_POSTING, PENDING");
        assertThat(bailed.audit())
                .filteredOn(line -> line.contains("publishing, attempt"))
                .hasSizeGreaterThanOrEqualTo(4);
        globex.consuming(transport);

        assertThat(producer.result(new MessageId("1")).join()).isInstanceOf(Settled.Ok.class);
    }

    @Test
    void more_postings_than_may_be_in_flight_wait_in_the_database() {
        Producer producer = acme.producing(transport, ExchangeSettings.DEFAULT.withParallelism(4, 4));
        TransportContract.post(producer, 30);
        assertThat(((PostgresTransport) transport).waiting(new Address(Topic.POSTINGS, Party.GLOBEX), 100))
                .isLessThanOrEqualTo(4);
        globex.consuming(transport);

        TransportContract.awaitSettled(acme, globex);
        TransportContract.assertBooks(acme, globex, 30);
    }

    @Test
    void drafts_and_settings_refuse_nonsense() {
        assertThatThrownBy(() -> new Draft(Party.GLOBEX, new MessageId("a b"), Payload.EMPTY))
                .hasMessageContaining("visible");
        assertThatThrownBy(() -> Party.order("1").inOrderOf("")).hasMessageContaining("order key");
        assertThatThrownBy(() -> Party.order("1").within(Duration.ZERO)).hasMessageContaining("deadline");
        assertThatThrownBy(() -> Payload.of(new byte[Payload.MAX_BYTES + 1])).hasMessageContaining("at most");
    }
}
