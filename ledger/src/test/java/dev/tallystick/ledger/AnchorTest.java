package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An anchor moves only along a verified chain from itself. */
class AnchorTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final StreamId FORGED = StreamId.of("orders", "forged");

    @TempDir
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;
    private FileAnchor anchor;
    private TxHash head;

    @BeforeEach
    void anchor_a_small_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        anchor = new FileAnchor(scratch.resolve("anchor.json"));
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            head = done(ledger, put(ORDER, TxHash.NONE, "{\"n\":1}"));
        }
        assertThat(moveTo(repository)).isInstanceOf(Anchoring.Moved.class);
    }

    @Test
    void an_anchor_follows_the_ledger_over_rotations_and_foreign_commits() throws IOException {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            head = done(ledger, put(ORDER, head, "{\"n\":2}"));
            ledger.rotateKey(SigningKey.generate());
            head = done(ledger, put(ORDER, head, "{\"n\":3}"));
        }
        assertThat(moveTo(repository)).isInstanceOf(Anchoring.Moved.class);
        assertThat(moveTo(repository)).isInstanceOf(Anchoring.Moved.class);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertThat(anchor.read()).contains(ledger.head());
        }
    }

    @Test
    void an_anchor_does_not_move_to_the_head_of_another_ledger() throws IOException {
        Path other = scratch.resolve("other.git");
        try (Ledger ledger = Ledger.init(other, SigningKey.generate(), LedgerOptions.defaults())) {
            TxHash at = TxHash.NONE;
            for (int n = 0; n < 5; n++) {
                at = done(ledger, put(ORDER, at, "{\"n\":" + n + "}"));
            }
        }
        assertStays(other);
    }

    @Test
    void an_anchor_does_not_move_to_a_commit_that_is_unsigned_or_signed_by_a_stranger() throws IOException {
        Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), SigningKey.generate());
        assertStays(repository);
        Native.git(repository, "update-ref", "refs/heads/main", "main~1");
        Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), SigningKey.generate(), Forgery.unsigned());
        assertStays(repository);
    }

    @Test
    void an_anchor_does_not_move_back_or_to_a_history_rewritten_with_a_retired_key() throws IOException {
        String before = Native.git(repository, "rev-parse", "main").strip();
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            ledger.rotateKey(SigningKey.generate());
            head = done(ledger, put(ORDER, head, "{\"n\":2}"));
        }
        assertThat(moveTo(repository)).isInstanceOf(Anchoring.Moved.class);
        Native.git(repository, "update-ref", "refs/heads/main", before);
        assertStays(repository);
        for (int n = 0; n < 5; n++) {
            Forgery.in(repository).append(put(StreamId.of("orders", "forged-" + n), TxHash.NONE, "{}"), root);
        }
        assertStays(repository);
    }

    /** The anchored root does not cover the keys beside it: the anchor holds them itself. */
    @Test
    void an_anchor_does_not_take_other_keys_beside_its_own_root() throws IOException {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            ledger.rotateKey(SigningKey.generate());
            head = done(ledger, put(ORDER, head, "{\"n\":2}"));
        }
        assertThat(moveTo(repository)).isInstanceOf(Anchoring.Moved.class);
        Forgery.in(repository).replaceHeadWithoutNewestKey(root);
        Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), root);
        assertStays(repository);
    }

    @Test
    void a_file_that_holds_no_anchor_is_refused_in_words_and_left_alone() throws IOException {
        Path file = scratch.resolve("anchor.json");
        String good = Files.readString(file);
        for (String bad : List.of(
                "",
                "{}",
                "[]",
                "garbage",
                good.replaceFirst("\"position\":\"[0-9]+\"", "\"position\":\"x\""),
                good.replaceFirst("\"position\":\"[0-9]+\"", "\"position\":\"-1\""),
                good.replaceFirst("\"position\":\"", "\"position\":\"0"),
                good.replaceFirst("\"position\":\"", "\"position\":\"+"),
                good.replaceFirst("\"position\":", "\"note\":\"x\",\"position\":"),
                good.replaceFirst("\"root\":\"..", "\"root\":\"zz"),
                good.replaceFirst("ssh-ed25519 ", "ssh-rsa "))) {
            Files.writeString(file, bad);
            assertThatThrownBy(() -> moveTo(repository))
                    .as(bad)
                    .isInstanceOf(DamagedAnchorException.class)
                    .hasMessageContaining("is not an anchor");
            assertThat(file).hasContent(bad);
        }
    }

    @Test
    void everything_that_an_anchor_says_is_checked_at_every_depth() throws IOException {
        Anchored known = anchor.read().orElseThrow();
        PublicKey other = SigningKey.generate().publicKey();
        CommitId elsewhere = new CommitId("1".repeat(40));
        List<Anchored> wrong = List.of(
                new Anchored(known.commit(), known.position(), known.root(), known.rootKey(), other),
                new Anchored(known.commit(), known.position(), known.root(), other, known.key()),
                new Anchored(elsewhere, known.position(), known.root(), known.rootKey(), known.key()),
                new Anchored(known.commit(), known.position() + 1, known.root(), known.rootKey(), known.key()),
                new Anchored(known.commit(), known.position(), "1".repeat(64), known.rootKey(), known.key()));
        Trust rootKey = Trust.in(root.publicKey().line());
        for (Verifier.Depth depth : Verifier.Depth.values()) {
            for (Trust trust : List.of(Trust.nothing(), rootKey)) {
                assertThat(Verifier.verify(repository, known.addedTo(trust), depth)
                                .findings())
                        .isEmpty();
                for (Anchored claim : wrong) {
                    assertThat(Verifier.verify(repository, claim.addedTo(trust), depth)
                                    .findings())
                            .as("%s at %s", claim, depth)
                            .isNotEmpty();
                }
            }
        }
    }

    private Anchoring moveTo(Path ledger) throws IOException {
        try (Ledger opened = Ledger.open(ledger, LedgerOptions.defaults())) {
            return opened.anchor(anchor, Trust.nothing(), Progress.UNSEEN);
        }
    }

    private void assertStays(Path ledger) throws IOException {
        Anchored before = anchor.read().orElseThrow();
        assertThat(moveTo(ledger)).isInstanceOf(Anchoring.Refused.class);
        assertThat(anchor.read()).contains(before);
    }
}
