package dev.tallystick.ledger.history;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.Directories;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.ReceiptCheck;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
        Native.accepts(scratch.resolve("ledger.git"), scratch);
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
        assertThat(check(text)).isInstanceOf(ReceiptCheck.Proven.class);
        for (int i = 0; i < text.length() - 1; i++) {
            char other = text.charAt(i) == 'a' ? 'b' : 'a';
            ReceiptCheck changed = check(text.substring(0, i) + other + text.substring(i + 1));
            assertThat(changed).isInstanceOf(ReceiptCheck.Refused.class);
        }
    }

    @Test
    void a_receipt_with_unknown_or_repeated_members_or_other_types_proves_nothing() throws IOException {
        StreamId stream = StreamId.of("orders", "o-1");
        done(ledger, put(stream, TxHash.NONE, "1"));
        done(ledger, put(StreamId.of("orders", "o-2"), TxHash.NONE, "1"));
        String text = ledger.receipt(stream, 1).orElseThrow().text().strip();
        assertThat(check(text)).isInstanceOf(ReceiptCheck.Proven.class);
        String inside = text.substring(1, text.length() - 1);
        for (String changed : List.of(
                "{" + inside + ",\"note\":1}",
                "{\"transaction\":\"AAAA\"," + inside + "}",
                "{" + inside + ",\"version\":1}",
                text + "{}",
                "[" + text + "]",
                text.replace("\"version\":1", "\"version\":\"1\""),
                text.replace("\"version\":1", "\"version\":1.5"),
                text.replace("\"version\":1", "\"version\":4294967297"),
                text.replace("\"path\":[]", "\"path\":{}"),
                text.replace("\"path\":[]", "\"path\":null"))) {
            assertThat(changed).isNotEqualTo(text);
            assertThat(check(changed)).as(changed).isInstanceOf(ReceiptCheck.Refused.class);
        }
    }

    @Test
    void a_receipt_in_other_base64_proves_nothing() throws IOException {
        for (String document : List.of("o-1", "o-12", "o-123")) {
            StreamId stream = StreamId.of("orders", document);
            done(ledger, put(stream, TxHash.NONE, "1"));
            String text = ledger.receipt(stream, 1).orElseThrow().text();
            assertThat(check(text)).isInstanceOf(ReceiptCheck.Proven.class);
            for (String changed : List.of(text.replaceFirst("=+\"", "\""), spareBits(text))) {
                if (!changed.equals(text)) {
                    assertThat(check(changed)).as(changed).isInstanceOf(ReceiptCheck.Refused.class);
                }
            }
        }
    }

    /** The same bytes: the last character before the padding has bits that mean nothing. */
    private static String spareBits(String text) {
        int padding = text.indexOf("=\"");
        int last = text.charAt(padding - 1) == '=' ? padding - 2 : padding - 1;
        return padding < 0 ? text : text.substring(0, last) + (char) (text.charAt(last) + 1) + text.substring(last + 1);
    }

    @Test
    void a_path_that_the_number_of_leaves_does_not_allow_proves_nothing() throws IOException {
        StreamId stream = StreamId.of("orders", "o-1");
        done(ledger, put(stream, TxHash.NONE, "1"));
        Tx tx = ledger.log(stream, Integer.MAX_VALUE, 1).getFirst().tx();
        Leaf leaf = Leaf.of(TxHash.of(tx.bytes()));
        for (int leaves = 1; leaves <= 9; leaves++) {
            List<Leaf> all = new ArrayList<>(List.of(leaf));
            for (int i = 1; i < leaves; i++) {
                all.add(Leaf.of("f" + i, new byte[0]));
            }
            assertThat(check(receipt(tx, all, leaf, leaves))).isInstanceOf(ReceiptCheck.Proven.class);
            for (int claimed : List.of(0, Math.min(leaves - 1, 1), 32 * leaves)) {
                assertThat(check(receipt(tx, all, leaf, claimed)))
                        .as("%s leaves that are said to be %s", leaves, claimed)
                        .isInstanceOf(ReceiptCheck.Refused.class);
            }
        }
    }

    /** A receipt whose root, signed by the holder of the key, gives another number of leaves. */
    private String receipt(Tx tx, List<Leaf> leaves, Leaf leaf, int claimed) throws IOException {
        ChainRoot forged = new ChainRoot(1, ChainRoot.NOTHING, ChainRoot.NOTHING, claimed, Merkle.root(leaves), "");
        String message = RootedMessage.text("x", forged, Tree.EMPTY);
        byte[] commit = Commit.bytes(Tree.EMPTY, List.of(Tree.EMPTY), java.time.Instant.EPOCH, message, root);
        String path = Merkle.path(leaves, leaf).stream()
                .map(step -> "{\"" + (step.siblingIsLeft() ? "left" : "right") + "\":\"" + step.sibling() + "\"}")
                .collect(java.util.stream.Collectors.joining(","));
        var base64 = java.util.Base64.getEncoder();
        return "{\"version\":1,\"transaction\":\"" + base64.encodeToString(tx.bytes()) + "\",\"path\":[" + path
                + "],\"roots\":[" + dev.tallystick.core.Json.of(forged.lines()).canonical() + "],\"commit\":\""
                + base64.encodeToString(commit) + "\","
                + keys(ledger.receipt(tx.stream(), 1).orElseThrow().text()) + "}";
    }

    @Test
    void a_receipt_proves_nothing_under_another_root_key() throws IOException {
        StreamId stream = StreamId.of("orders", "o-1");
        done(ledger, put(stream, TxHash.NONE, "1"));
        String text = ledger.receipt(stream, 1).orElseThrow().text();
        String other = SigningKey.generate().publicKey().line();
        assertThat(ReceiptCheck.of(text, other)).isInstanceOf(ReceiptCheck.Refused.class);
        assertThat(ReceiptCheck.of("{}", other)).isInstanceOf(ReceiptCheck.Refused.class);
        assertThat(ReceiptCheck.of("", other)).isInstanceOf(ReceiptCheck.Refused.class);
    }

    @Test
    void a_leaked_retired_key_proves_nothing_if_the_current_key_is_known() throws IOException {
        StreamId stream = StreamId.of("orders", "o-1");
        TxHash head = done(ledger, put(stream, TxHash.NONE, "1"));
        ledger.rotateKey(SigningKey.generate());
        // A thief of the machine's files has its keys and can continue the ledger in secret.
        Path stolen = scratch.resolve("stolen.git");
        Directories.copy(scratch.resolve("ledger.git"), stolen);
        SigningKey current = SigningKey.generate();
        ledger.rotateKey(current);
        done(ledger, put(stream, head, "2"));
        String honest = ledger.receipt(stream, 1).orElseThrow().text();
        String currentKey = current.publicKey().line();
        assertThat(ReceiptCheck.of(honest, root.publicKey().line(), currentKey))
                .isInstanceOf(ReceiptCheck.Proven.class);

        String forged;
        try (Ledger thief = Ledger.open(stolen, LedgerOptions.defaults())) {
            for (int i = 0; i < 5; i++) {
                done(thief, put(StreamId.of("orders", "never-" + i), TxHash.NONE, "1000000"));
            }
            forged = thief.receipt(StreamId.of("orders", "never-4"), 1)
                    .orElseThrow()
                    .text();
        }
        assertThat(ReceiptCheck.of(forged, root.publicKey().line(), currentKey))
                .isInstanceOf(ReceiptCheck.Refused.class);
        String dressedUp = forged.replaceFirst("\"keys\":\\[.*?\\]", Matcher.quoteReplacement(keys(honest)));
        assertThat(dressedUp).isNotEqualTo(forged);
        assertThat(check(dressedUp)).as("with the ring of today").isInstanceOf(ReceiptCheck.Refused.class);
    }

    private static String keys(String receipt) {
        Matcher keys = Pattern.compile("\"keys\":\\[.*?\\]").matcher(receipt);
        assertThat(keys.find()).isTrue();
        return keys.group();
    }

    private ReceiptCheck check(String text) {
        return ReceiptCheck.of(text, root.publicKey().line());
    }
}
