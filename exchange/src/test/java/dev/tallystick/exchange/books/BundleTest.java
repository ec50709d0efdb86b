package dev.tallystick.exchange.books;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.exchange.Party;
import dev.tallystick.exchange.TransportContract;
import dev.tallystick.exchange.books.Evidence.Proof;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.partner.KeyRotation;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.producer.Settled;
import dev.tallystick.exchange.signing.PublicKey;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Either side can show what the other has signed, and neither can deny or rewrite it. */
class BundleTest {

    @RegisterExtension
    static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    static final TestPostgres globexs = Party.postgres();

    private static final PublicKey N = Party.ACME_KEY.publicKey();
    private static final PublicKey P = Party.GLOBEX_KEY.publicKey();
    private static final MessageId ID = new MessageId("1");

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
    void both_sides_export_evidence_that_the_two_public_keys_prove() {
        exchange();
        Bundle ours = acme.records().posted(ID, acme.partners()).orElseThrow();
        Bundle theirs =
                globex.records().received(Party.ACME, ID, globex.partners()).orElseThrow();

        for (Bundle bundle : List.of(ours, theirs)) {
            Evidence evidence = Bundle.parse(bundle.toJson()).verify(N, P);
            assertThat(evidence.problems()).isEmpty();
            assertThat(evidence.proven()).containsExactly(Proof.values());
            assertThat(evidence.isSound()).isTrue();
        }
        assertThat(ours.toJson()).isEqualTo(theirs.toJson());
    }

    @Test
    void a_posting_is_signed_with_the_newest_checkpoint_of_the_producers_log() {
        String checkpoint = "acme.example/log\n7\nroot\n";
        globex.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);
        producer.checkpoints(() -> Optional.of(checkpoint));
        AtomicInteger number = new AtomicInteger();
        Bundle bundle = Eventually.value(
                "a posting with the checkpoint",
                Duration.ofSeconds(30),
                () -> {
                    String id = "order-" + number.incrementAndGet();
                    producer.request(Party.order(id)).join();
                    return globex.records()
                            .received(Party.ACME, new MessageId(id), globex.partners())
                            .orElseThrow();
                },
                received -> received.ref().checkpoint().equals(checkpoint));

        assertThat(bundle.verify(N, P).proven()).contains(Proof.POSTING, Proof.RECEIPT, Proof.RESULT);
        String other = bundle.toJson().replace("\\n7\\n", "\\n8\\n");
        assertThat(Bundle.parse(other).verify(N, P).proven()).isEmpty();
    }

    @Test
    void a_bundle_before_the_result_proves_the_posting_alone() {
        Producer producer = acme.producing(transport, Party.FAST);
        Producer.join(producer.post(Party.order("1")));

        Evidence evidence =
                acme.records().posted(ID, acme.partners()).orElseThrow().verify(N, P);
        assertThat(evidence.proven()).containsExactly(Proof.POSTING);
    }

    @Test
    void a_bundle_that_was_altered_proves_nothing_that_was_not_signed() {
        exchange();
        Bundle bundle = acme.records().posted(ID, acme.partners()).orElseThrow();
        Bundle.Result result = Objects.requireNonNull(bundle.result());
        Bundle otherPayload = new Bundle(
                bundle.ref(),
                bundle.payload(),
                bundle.orderKey(),
                bundle.posting(),
                bundle.receipt(),
                new Bundle.Result(ProcessingStatus.OK, Payload.of("another answer"), "", result.signature()),
                bundle.acknowledgement(),
                List.of());

        assertThat(otherPayload.verify(N, P).proven()).containsExactly(Proof.POSTING, Proof.RECEIPT);
        assertThat(otherPayload.verify(N, P).isSound()).isFalse();
        // The fingerprint is computed from the content, so changing the content changes what must have been signed.
        String otherContent = bundle.toJson().replace(base64("order 1"), base64("order 2"));
        assertThat(Bundle.parse(otherContent).verify(N, P).proven()).isEmpty();
        assertThat(bundle.verify(P, N).proven()).isEmpty();
    }

    @Test
    void after_a_rotation_old_and_new_evidence_is_proven_by_the_old_and_the_new_key() {
        exchange();
        SigningKey next = SigningKey.generate();
        KeyRotation rotation = KeyRotation.of(Party.GLOBEX, Party.GLOBEX_KEY, next);
        acme.partners().rotate(KeyRotation.parse(rotation.toJson()));
        globex.close();
        try (Party rotated = Party.of(Party.GLOBEX, next, globexs.dataSource())) {
            rotated.partners().rotate(rotation);
            rotated.consuming(transport);
            Producer producer = acme.producing(transport, Party.FAST);
            assertThat(producer.request(Party.order("2")).join()).isInstanceOf(Settled.Ok.class);

            for (String id : List.of("1", "2")) {
                Bundle bundle = acme.records()
                        .posted(new MessageId(id), acme.partners())
                        .orElseThrow();
                for (PublicKey known : List.of(P, next.publicKey())) {
                    assertThat(Bundle.parse(bundle.toJson()).verify(N, known).proven())
                            .contains(Proof.RECEIPT, Proof.RESULT);
                }
            }
        }
    }

    @Test
    void a_rotation_that_the_previous_key_has_not_signed_is_refused() {
        SigningKey thief = SigningKey.generate();
        KeyRotation stolen = KeyRotation.of(Party.GLOBEX, thief, SigningKey.generate());

        assertThatThrownBy(() -> acme.partners().rotate(stolen)).hasMessageContaining("not a key of globex");
        assertThatThrownBy(
                        () -> new KeyRotation(Party.GLOBEX, P, thief.publicKey(), stolen.byPrevious(), stolen.byNext()))
                .hasMessageContaining("not signed by both");
    }

    @Test
    void a_signing_key_survives_its_file() {
        SigningKey read = SigningKey.parse(Party.ACME_KEY.toPem());

        assertThat(read.publicKey()).isEqualTo(N);
        assertThat(PublicKey.parse(N + " a comment")).isEqualTo(N);
        assertThatThrownBy(() -> SigningKey.parse("?")).hasMessageContaining("not a signing key");
    }

    private void exchange() {
        globex.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);
        producer.request(Party.order("1")).join();
        TransportContract.awaitSettled(acme, globex);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
