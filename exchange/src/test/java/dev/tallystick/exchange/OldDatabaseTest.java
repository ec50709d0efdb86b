package dev.tallystick.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Migrations;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A consumer's database of a version that stored its answers as messages. */
class OldDatabaseTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private static final Instant INCEPTION = Instant.parse("2026-03-01T10:00:00.123456Z");
    private static final Payload PAYLOAD = Payload.of("order 1");
    private static final String RECEIVED = "2026-03-01T10:00:01.000000Z globex/1 received";

    private final Database database = Database.on(postgres.dataSource());

    @Test
    void answers_that_were_stored_as_messages_become_fields_with_the_same_bytes() {
        Migrations.of("exchange", ExchangeSchema.class, "0001-exchange.sql", "0002-origins.sql")
                .migrate(database);
        byte[] accepted = store("1", ProcessingStatus.OK, "done? Ünïcode ÿ", "");
        byte[] refused = store("2", ProcessingStatus.REJECTED, "", "not \"today\"");

        ExchangeSchema.migrations().migrate(database);

        Partners partners = new Partners(database);
        partners.trust(Party.ACME, Party.ACME_KEY.publicKey());
        try (Transport transport = new PostgresTransport(database, "test");
                Party globex = Party.globex(postgres.dataSource())) {
            globex.consuming(transport);
            assertThat(answer(transport, "1")).isEqualTo(accepted);
            assertThat(answer(transport, "2")).isEqualTo(refused);
        }
    }

    /** A decided posting as it was stored; returns its result. */
    private byte[] store(String id, ProcessingStatus processing, String answer, String reason) {
        PostingRef ref = ref(id);
        BatchSignature receipt = sign(Party.GLOBEX_KEY, Statement.ofReceipt(ref));
        byte[] digest = Statement.outcomeDigest(Payload.of(answer), reason);
        Body.Result body = new Body.Result(
                processing,
                Payload.of(answer),
                reason,
                receipt,
                sign(Party.GLOBEX_KEY, Statement.ofResult(ref, processing, digest)));
        byte[] result = write(ref, new Status(AckStatus.NACKED_RESULT, processing), body, List.of(RECEIVED));
        byte[] receiptMessage = write(
                ref,
                new Status(AckStatus.ACKED_POSTING, ProcessingStatus.PENDING),
                new Body.Receipt(receipt),
                List.of());
        database.transact(
                "store",
                tx -> tx.update(
                        """
                        insert into tally.exchange_received (consumer, producer, id, ack, processing, inception_datum, deadline,
                            fingerprint, payload, signature, receipt, receipt_message, result_message, outcome_digest,
                            settled_at, audit)
                        values ('globex', 'acme', ?, 'NACKED_RESULT', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, now(), ?)
                        """,
                        id,
                        processing.name(),
                        INCEPTION,
                        INCEPTION.plus(Duration.ofDays(1)),
                        ref.fingerprint().bytes(),
                        PAYLOAD.bytes(),
                        sign(Party.ACME_KEY, Statement.ofPosting(ref)).bytes(),
                        receipt.bytes(),
                        receiptMessage,
                        result,
                        digest,
                        RECEIVED + "\n2026-03-01T10:00:02.000000Z globex/1 handled, " + processing
                                + ", publishing the result\n"));
        return result;
    }

    private static byte[] answer(Transport transport, String id) {
        PostingRef ref = ref(id);
        byte[] posting = write(
                ref,
                new Status(AckStatus.NACKED_POSTING, ProcessingStatus.PENDING),
                new Body.Posting(
                        PAYLOAD,
                        INCEPTION.plus(Duration.ofDays(1)),
                        null,
                        sign(Party.ACME_KEY, Statement.ofPosting(ref))),
                List.of());
        transport.publish(new Address(Topic.POSTINGS, Party.GLOBEX), List.of(posting));
        List<byte[]> answers = new ArrayList<>();
        Eventually.holds("an answer", () -> {
            transport.receive(new Address(Topic.RESULTS, Party.ACME), 100, Duration.ofMillis(50), answers::addAll);
            return !answers.isEmpty();
        });
        return answers.getFirst();
    }

    private static PostingRef ref(String id) {
        return new PostingRef(Party.ACME, Party.GLOBEX, new MessageId(id), Statement.fingerprint(PAYLOAD, null), "");
    }

    private static byte[] write(PostingRef ref, Status status, Body body, List<String> audit) {
        return MessageFormat.write(new Message(ref, status, 0, INCEPTION, null, body, audit));
    }

    private static BatchSignature sign(SigningKey key, byte[] statement) {
        return BatchSignature.sign(key, List.of(statement)).getFirst();
    }
}
