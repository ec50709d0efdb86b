package dev.tallystick.exchange.books;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.exchange.Party;
import dev.tallystick.exchange.TransportContract;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.producer.Settled;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Everything that should not happen has a name, is recorded, and changes nothing else. */
class IssueTest {

    @RegisterExtension
    static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    static final TestPostgres globexs = Party.postgres();

    private static final Participant INITECH = new Participant("initech");
    private static final SigningKey INITECH_KEY = SigningKey.generate();

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
    void a_result_without_a_posting_is_kept_and_refused() {
        acme.producing(transport, Party.FAST);
        sendToAcme(result(ref(Party.GLOBEX, "unknown", "?"), Party.GLOBEX_KEY, "done"));

        awaitIssue(acme, IssueKind.RESULT_WITHOUT_POSTING);
        assertThat(acme.records().list(true, 10)).isEmpty();
    }

    @Test
    void a_receipt_without_a_posting_is_kept() {
        acme.producing(transport, Party.FAST);
        PostingRef ref = ref(Party.GLOBEX, "unknown", "?");
        BatchSignature signature = sign(Party.GLOBEX_KEY, Statement.ofReceipt(ref));
        sendToAcme(message(
                ref, new Status(AckStatus.ACKED_POSTING, ProcessingStatus.PENDING), new Body.Receipt(signature)));

        awaitIssue(acme, IssueKind.RECEIPT_WITHOUT_POSTING);
    }

    @Test
    void a_result_from_a_participant_that_was_not_asked_is_kept_and_changes_nothing() {
        acme.partners().trust(INITECH, INITECH_KEY.publicKey());
        Producer producer = acme.producing(transport, Party.FAST);
        Producer.join(producer.post(Party.order("1")));
        sendToAcme(result(ref(INITECH, "1", "order 1"), INITECH_KEY, "done"));

        awaitIssue(acme, IssueKind.WRONG_PARTICIPANT);
        assertThat(producer.settled(new MessageId("1"))).isEmpty();
    }

    @Test
    void a_result_that_its_sender_has_not_signed_is_kept_and_changes_nothing() {
        Producer producer = acme.producing(transport, Party.FAST);
        Producer.join(producer.post(Party.order("1")));
        sendToAcme(result(ref(Party.GLOBEX, "1", "order 1"), INITECH_KEY, "done"));
        transport.publish(new Address(Topic.RESULTS, Party.ACME), List.of(new byte[] {'?'}));

        awaitIssue(acme, IssueKind.UNVERIFIED);
        assertThat(acme.issues().list(false, 10)).hasSize(1);
        assertThat(producer.settled(new MessageId("1"))).isEmpty();
    }

    @Test
    void a_posting_with_a_reused_id_and_other_content_is_kept_and_refused_on_both_sides() {
        globex.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);
        Settled first = producer.request(Party.order("1")).join();
        acme.database().transact("forget, as after a restore", tx -> tx.update("delete from tally.exchange_posting"));
        Producer.join(producer.post(Party.order("1", "something else")));

        awaitIssue(globex, IssueKind.ID_REUSED);
        awaitIssue(acme, IssueKind.POSTING_REFUSED);
        assertThat(first).isInstanceOf(Settled.Ok.class);
        assertThat(globex.effects()).containsExactly("1");
        assertThat(producer.settled(new MessageId("1"))).isEmpty();
    }

    @Test
    void a_missed_deadline_is_an_issue_and_a_late_result_is_still_the_outcome() {
        Signal finish = new Signal("the handler may finish");
        globex.consuming(transport, Party.FAST, (request, tx) -> {
            finish.await();
            return Outcome.ok("late");
        });
        Producer producer = acme.producing(transport, Party.FAST);
        Producer.join(producer.post(Party.order("1").within(Duration.ofMillis(200))));

        awaitIssue(acme, IssueKind.DEADLINE_MISSED);
        assertThat(producer.settled(new MessageId("1"))).isEmpty();
        finish.fire();
        assertThat(producer.result(new MessageId("1")).join()).isEqualTo(new Settled.Ok(Payload.of("late")));
        awaitIssue(acme, IssueKind.RESULT_AFTER_DEADLINE);
    }

    @Test
    void a_result_before_the_receipt_moves_the_status_forward_and_a_late_receipt_does_not_move_it_back() {
        Producer producer = acme.producing(transport, Party.FAST);
        Producer.join(producer.post(Party.order("1")));
        PostingRef ref = ref(Party.GLOBEX, "1", "order 1");
        sendToAcme(result(ref, Party.GLOBEX_KEY, "done"));
        producer.result(new MessageId("1")).join();
        sendToAcme(message(
                ref,
                new Status(AckStatus.ACKED_POSTING, ProcessingStatus.PENDING),
                new Body.Receipt(sign(Party.GLOBEX_KEY, Statement.ofReceipt(ref)))));
        // It is taken when a later message is.
        sendToAcme(result(ref(Party.GLOBEX, "unknown", "?"), Party.GLOBEX_KEY, "done"));
        awaitIssue(acme, IssueKind.RESULT_WITHOUT_POSTING);

        assertThat(acme.records().show(new MessageId("1"))).singleElement().satisfies(view -> {
            assertThat(view.status().toString()).isEqualTo("ACKED_RESULT, OK");
            assertThat(view.audit()).last().asString().contains("result OK recorded before the receipt");
        });
    }

    @Test
    void a_second_result_that_differs_is_kept_and_the_first_one_stands() {
        globex.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);
        Settled first = producer.request(Party.order("1")).join();
        sendToAcme(result(ref(Party.GLOBEX, "1", "order 1"), Party.GLOBEX_KEY, "something else"));

        awaitIssue(acme, IssueKind.RESULT_DIFFERS);
        assertThat(producer.settled(new MessageId("1"))).contains(first);
    }

    @Test
    void a_handler_that_always_throws_is_an_issue_and_its_posting_stays_pending() {
        globex.consuming(
                transport,
                Party.FAST.withIntervals(
                        Duration.ofMillis(300), Duration.ofMillis(300), Duration.ofMillis(600), Duration.ofMillis(10)),
                (request, tx) -> {
                    tx.update("insert into effect (id) values (?)", request.id().value());
                    throw new IllegalStateException("cannot");
                });
        Producer producer = acme.producing(transport, Party.FAST);
        Producer.join(producer.post(Party.order("1")));

        awaitIssue(globex, IssueKind.HANDLER_FAILS);
        assertThat(globex.effects()).isEmpty();
        assertThat(globex.records().show(new MessageId("1"))).singleElement().satisfies(view -> {
            assertThat(view.status().toString()).isEqualTo("ACKED_POSTING, PENDING");
            assertThat(view.failure()).contains("cannot");
        });
        assertThat(globex.issues().resolve("1", IssueKind.HANDLER_FAILS)).isEqualTo(1);
    }

    @Test
    void a_consumer_restored_from_yesterday_that_decides_otherwise_is_noticed_by_both() {
        Party yesterday = globex;
        yesterday.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);
        Settled first = producer.request(Party.order("1")).join();
        TransportContract.awaitSettled(acme, globex);
        yesterday.close();
        globex.database().transact("restore the backup", tx -> tx.update("""
                update tally.exchange_received
                set ack = 'ACKED_POSTING', processing = 'PENDING', outcome_digest = null, result_signature = null,
                    countersignature = null, settled_at = null, due_at = now(), publications = 0
                """));
        try (Party today = Party.globex(globexs.dataSource())) {
            today.consuming(transport, Party.FAST, (request, tx) -> Outcome.rejected("changed my mind"));

            awaitIssue(acme, IssueKind.RESULT_DIFFERS);
            awaitIssue(today, IssueKind.ACKNOWLEDGEMENT_DIFFERS);
            assertThat(producer.settled(new MessageId("1"))).contains(first);
        }
    }

    @Test
    void a_producer_restored_from_yesterday_gets_its_results_again() {
        globex.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);
        Settled first = producer.request(Party.order("1")).join();
        TransportContract.awaitSettled(acme, globex);
        acme.database().transact("restore the backup", tx -> tx.update("""
                update tally.exchange_posting
                set ack = 'NACKED_POSTING', processing = 'PENDING', outcome_digest = null, outcome = null, reason = null,
                    receipt = null, result_signature = null, countersignature = null, settled_at = null, due_at = now()
                """));
        producer.wake();

        assertThat(producer.result(new MessageId("1")).join()).isEqualTo(first);
        assertThat(globex.effects()).containsExactly("1");
    }

    private void sendToAcme(byte[] message) {
        transport.publish(new Address(Topic.RESULTS, Party.ACME), List.of(message));
    }

    private static void awaitIssue(Party party, IssueKind kind) {
        Eventually.value("issue " + kind, party::openIssues, kinds -> kinds.contains(kind));
    }

    private static PostingRef ref(Participant consumer, String id, String content) {
        Fingerprint fingerprint = Statement.fingerprint(Payload.of(content), null);
        return new PostingRef(Party.ACME, consumer, new MessageId(id), fingerprint, "");
    }

    private static byte[] result(PostingRef ref, SigningKey key, String answer) {
        Payload payload = Payload.of(answer);
        byte[] digest = Statement.outcomeDigest(payload, "");
        Body.Result result = new Body.Result(
                ProcessingStatus.OK,
                payload,
                "",
                sign(key, Statement.ofReceipt(ref)),
                sign(key, Statement.ofResult(ref, ProcessingStatus.OK, digest)));
        return message(ref, new Status(AckStatus.NACKED_RESULT, ProcessingStatus.OK), result);
    }

    private static byte[] message(PostingRef ref, Status status, Body body) {
        return MessageFormat.write(new Message(ref, status, 0, Instant.EPOCH, null, body, List.of()));
    }

    private static BatchSignature sign(SigningKey key, byte[] statement) {
        return BatchSignature.sign(key, List.of(statement)).getFirst();
    }
}
