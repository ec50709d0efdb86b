package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.query.QueryIndex;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.BranchEntry;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.ReceiptCheck;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Merged transactions can still be listed, read, queried and proven. */
class MergedHistoriesTest {

    private static final StreamId SHARED = StreamId.of("orders", "shared");

    @TempDir
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private final Map<String, String> written = new TreeMap<>();

    @Test
    void every_transaction_stays_reachable_after_repeated_and_crossing_merges() throws IOException {
        Path home = scratch.resolve("home.git");
        Path away = scratch.resolve("away.git");
        try (Ledger ours = Ledger.init(home, root, LedgerOptions.defaults())) {
            write(ours, "{\"a\":0}");
            Ledger.cloneFrom(home.toString(), away, Trust.nothing(), LedgerOptions.defaults(), Progress.UNSEEN);
            try (Ledger theirs = Ledger.open(away, LedgerOptions.defaults())) {
                theirs.addSigningKey(root);
                for (int round = 1; round <= 3; round++) {
                    write(ours, "{\"a\":" + round + "}");
                    write(theirs, "{\"b\":" + round + "}");
                    write(theirs, "{\"b\":" + round + ",\"c\":1}");
                    assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
                    assertReachable(ours);
                }
                assertThat(theirs.merge("origin")).isInstanceOf(Merge.Forwarded.class);
                assertReachable(theirs);
            }
        }
    }

    private void write(Ledger ledger, String body) throws IOException {
        TxHash hash = done(ledger, put(SHARED, ledger.read(SHARED).head(), body));
        written.put(hash.hex(), body);
    }

    private void assertReachable(Ledger ledger) throws IOException {
        List<BranchEntry> all = ledger.logWithBranches(SHARED, 1_000);
        List<String> hashes =
                all.stream().map(found -> found.entry().hash().hex()).toList();
        assertThat(hashes).doesNotHaveDuplicates().containsAll(written.keySet());
        List<List<Json>> rows = new ArrayList<>();
        for (BranchEntry found : all) {
            int version = found.entry().version();
            Document document = ledger.readAt(SHARED, found.branch(), version);
            assertThat(document.head()).isEqualTo(found.entry().hash());
            Json body = ((Document.Present) document).body();
            assertThat(body)
                    .isEqualTo(
                            Json.parse(written.getOrDefault(found.entry().hash().hex(), body.canonical())));
            String receipt = ledger.receipt(SHARED, found.branch(), version)
                    .orElseThrow()
                    .text();
            assertThat(ReceiptCheck.of(receipt, root.publicKey().line()))
                    .isInstanceOfSatisfying(
                            ReceiptCheck.Proven.class,
                            proven -> assertThat(proven.hash())
                                    .isEqualTo(found.entry().hash().hex()));
            rows.add(List.of(
                    Json.of(found.branch()),
                    Json.of(version),
                    Json.of(found.entry().hash().hex())));
        }
        try (QueryIndex index = ledger.index()) {
            assertThat(index.query("select branch, version, hash from tx", 1_000)
                            .rows())
                    .containsExactlyInAnyOrderElementsOf(rows);
        }
        assertThat(ledger.readAt(SHARED, "999", 1)).isInstanceOf(Document.Absent.class);
        assertThat(ledger.readAt(SHARED, "x/../y", 1)).isInstanceOf(Document.Absent.class);
    }
}
