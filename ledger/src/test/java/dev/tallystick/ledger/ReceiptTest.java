package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.ledger.verifier.ReceiptCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceiptTest {

    @TempDir
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Ledger ledger;

    @BeforeEach
    void open() throws IOException {
        ledger = Ledger.init(scratch.resolve("ledger.git"), root, LedgerOptions.defaults());
    }

    @AfterEach
    void close() throws IOException {
        ledger.close();
    }

    @Test
    void every_transaction_can_be_proven_from_any_later_head() throws IOException {
        StreamId stream = StreamId.of("orders", "o-1");
        List<TxHash> heads = new ArrayList<>();
        TxHash head = TxHash.NONE;
        for (int version = 1; version <= 20; version++) {
            head = done(ledger, put(stream, head, Integer.toString(version)));
            heads.add(head);
            if (version == 7 || version == 12) {
                ledger.rotateKey(SigningKey.generate());
            }
        }
        for (int version = 1; version <= 20; version++) {
            TxHash hash = heads.get(version - 1);
            assertThat(check(ledger.receipt(stream, version).orElseThrow().text()))
                    .isInstanceOfSatisfying(ReceiptCheck.Proven.class, proven -> {
                        assertThat(proven.hash()).isEqualTo(hash.hex());
                        assertThat(proven.stream()).isEqualTo("orders/o-1");
                    });
        }
        assertThat(ledger.receipt(stream, 21)).isEmpty();
    }

    @Test
    void a_transaction_of_a_large_batch_can_be_proven() throws Exception {
        List<CompletableFuture<Append>> appends = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            appends.add(ledger.submit(put(StreamId.of("orders", "o-" + i), TxHash.NONE, "1")));
        }
        for (CompletableFuture<Append> append : appends) {
            assertThat(append.get()).isInstanceOf(Append.Appended.class);
        }
        for (int i = 0; i < 300; i += 37) {
            String text = ledger.receipt(StreamId.of("orders", "o-" + i), 1)
                    .orElseThrow()
                    .text();
            assertThat(check(text)).isInstanceOf(ReceiptCheck.Proven.class);
        }
    }

    @Test
    void a_receipt_that_was_changed_proves_nothing() throws IOException {
        StreamId stream = StreamId.of("orders", "o-1");
        done(ledger, put(stream, done(ledger, put(stream, TxHash.NONE, "1")), "2"));
        String text = ledger.receipt(stream, 1).orElseThrow().text();
        ReceiptCheck whole = check(text);
        assertThat(whole).isInstanceOf(ReceiptCheck.Proven.class);
        for (int i = 0; i < text.length() - 1; i++) {
            char other = text.charAt(i) == 'a' ? 'b' : 'a';
            ReceiptCheck changed = check(text.substring(0, i) + other + text.substring(i + 1));
            // Base64 has spare bits, and a subject line proves nothing: a receipt may say the same in other characters.
            assertThat(changed)
                    .satisfiesAnyOf(
                            check -> assertThat(check).isInstanceOf(ReceiptCheck.Refused.class),
                            check -> assertThat(check).isEqualTo(whole));
        }
    }

    @Test
    void a_receipt_proves_nothing_to_somebody_who_trusts_another_key() throws IOException {
        StreamId stream = StreamId.of("orders", "o-1");
        done(ledger, put(stream, TxHash.NONE, "1"));
        String text = ledger.receipt(stream, 1).orElseThrow().text();
        String other = SigningKey.generate().publicKey().line();
        assertThat(ReceiptCheck.of(text, other)).isInstanceOf(ReceiptCheck.Refused.class);
        assertThat(ReceiptCheck.of("{}", other)).isInstanceOf(ReceiptCheck.Refused.class);
        assertThat(ReceiptCheck.of("", other)).isInstanceOf(ReceiptCheck.Refused.class);
    }

    @Test
    void an_anchor_remembers_and_never_goes_back() throws IOException {
        FileAnchor anchor = new FileAnchor(scratch.resolve("anchor.json"));
        assertThat(anchor.read()).isEmpty();
        Anchored first = ledger.head();
        anchor.advance(first);
        done(ledger, put(StreamId.of("orders", "o-1"), TxHash.NONE, "1"));
        anchor.advance(ledger.head());
        anchor.advance(ledger.head());
        assertThat(new FileAnchor(scratch.resolve("anchor.json")).read()).contains(ledger.head());
        assertThatIllegalArgumentException().isThrownBy(() -> anchor.advance(first));
    }

    private ReceiptCheck check(String text) {
        return ReceiptCheck.of(text, root.publicKey().line());
    }
}
