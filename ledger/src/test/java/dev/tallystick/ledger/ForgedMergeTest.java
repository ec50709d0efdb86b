package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A MERGE is what the format's rule makes of two histories: its signer cannot slip anything else in. */
class ForgedMergeTest {

    private static final StreamId SHARED = StreamId.of("orders", "shared");
    private static final StreamId FREE = StreamId.of("notes", "shared");

    @TempDir(factory = Memory.class)
    static Path scratch;

    private static final SigningKey ROOT = SigningKey.generate();
    private static Path home;
    private static String honest;

    @BeforeAll
    static void merge_two_copies_that_changed_the_same_documents() throws IOException {
        home = scratch.resolve("home.git");
        Path away = scratch.resolve("away.git");
        try (Ledger ours = Ledger.init(home, ROOT, LedgerOptions.defaults())) {
            ours.putSchema(new Collection("orders"), Json.parse("{\"type\":\"object\",\"required\":[\"n\"]}"));
            TxHash order = done(ours, put(SHARED, TxHash.NONE, "{\"m\":0,\"n\":0,\"o\":0}"));
            TxHash note = done(ours, put(FREE, TxHash.NONE, "[0]"));
            Ledger.cloneFrom(home.toString(), away, Trust.nothing(), LedgerOptions.defaults(), Progress.UNSEEN);
            try (Ledger theirs = Ledger.open(away, LedgerOptions.defaults())) {
                theirs.addSigningKey(ROOT);
                done(ours, put(SHARED, order, "{\"m\":1,\"n\":1,\"o\":0}"));
                done(ours, put(FREE, note, "[1]"));
                done(theirs, put(SHARED, order, "{\"m\":0,\"n\":2,\"o\":2}"));
                done(theirs, put(FREE, note, "[2]"));
                assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
            }
        }
        honest = Native.git(home, "rev-parse", "main").strip();
        assertThat(verify()).isEmpty();
    }

    @BeforeEach
    void forget_what_was_forged() {
        Native.git(home, "update-ref", "refs/heads/main", honest);
    }

    @Test
    void a_merge_that_is_made_again_at_another_time_is_accepted() throws IOException {
        Forgery.in(home)
                .replaceMerge(
                        tx -> new Tx(
                                tx.txId(),
                                tx.timestamp() + 1,
                                tx.stream(),
                                tx.op(),
                                tx.snapshot(),
                                tx.patch(),
                                tx.parent(),
                                tx.schemaVersion(),
                                tx.merged(),
                                tx.conflicts()),
                        ROOT);
        assertThat(Native.git(home, "rev-parse", "main").strip()).isNotEqualTo(honest);
        assertThat(verify()).isEmpty();
    }

    @Test
    void a_merge_that_is_none_is_reported() throws IOException {
        for (Map.Entry<String, UnaryOperator<Tx>> forged : Map.<String, UnaryOperator<Tx>>of(
                        "its snapshot is not what joining",
                        tx -> changed(tx, tx.snapshot().replaceAll("[0-9]", "7"), tx.conflicts(), tx.schemaVersion()),
                        "its conflicts are not those",
                        tx -> changed(tx, tx.snapshot(), "", tx.schemaVersion()),
                        "joining the two documents",
                        tx -> changed(tx, "", tx.conflicts(), tx.schemaVersion()),
                        "names schema 0, and it should be 1",
                        tx -> changed(tx, tx.snapshot(), tx.conflicts(), 0),
                        "conflicts are not",
                        tx -> changed(
                                tx,
                                tx.snapshot(),
                                tx.conflicts().replaceAll("\"dropped\":[0-9]", "\"dropped\":9"),
                                tx.schemaVersion()))
                .entrySet()) {
            forget_what_was_forged();
            Forgery.in(home).replaceMerge(forged.getValue(), ROOT);
            assertThat(verify()).as(forged.getKey()).anySatisfy(finding -> {
                assertThat(finding.kind()).isEqualTo(Finding.Kind.STREAM);
                assertThat(finding.detail()).contains(forged.getKey());
            });
        }
    }

    @Test
    void a_merge_of_a_commit_with_itself_is_reported() throws IOException {
        Forgery.in(home).mergeWithItself(ROOT);
        assertThat(verify()).anySatisfy(finding -> assertThat(finding.detail()).contains("joins a commit with itself"));
        try (Ledger ledger = Ledger.open(home, LedgerOptions.defaults())) {
            assertThat(ledger.append(put(StreamId.of("notes", "new"), TxHash.NONE, "[]")))
                    .isInstanceOf(Append.Refused.class);
        }
    }

    private static Tx changed(Tx tx, String snapshot, String conflicts, int schema) {
        return new Tx(
                tx.txId(),
                tx.timestamp(),
                tx.stream(),
                tx.op(),
                snapshot,
                tx.patch(),
                tx.parent(),
                schema,
                tx.merged(),
                conflicts);
    }

    private static List<Finding> verify() throws IOException {
        return Verifier.verify(home, Trust.in(ROOT.publicKey().line()), Verifier.Depth.DEEP)
                .findings();
    }
}
