package dev.tallystick.ledger.tx;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.patch;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.Clone;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Writes;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every document that a write leads to can be read back: it is at most 256 deep and 16 MiB long, or nothing is written. */
class DocumentLimitsTest {

    private static final StreamId DOCUMENT = StreamId.of("misc", "d");
    private static final int DEEPEST = 256;
    private static final int MEGABYTE = 1 << 20;

    private static final String NEST = "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/a\"}";
    private static final String DOUBLE = NEST + ",{\"op\":\"copy\",\"from\":\"\",\"path\":\"/b\"}";

    @TempDir(factory = Memory.class)
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;
    private Ledger ledger;

    @BeforeEach
    void make_a_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        ledger = Ledger.init(repository, root, LedgerOptions.defaults());
    }

    @AfterEach
    void close() throws IOException {
        ledger.close();
    }

    @Test
    void a_patch_cannot_nest_a_document_deeper_than_a_put_can() throws IOException {
        TxHash head = done(ledger, put(DOCUMENT, TxHash.NONE, "{\"a\":1}"));
        assertInvalid(patch(DOCUMENT, head, times(DEEPEST, NEST)), "nested more than 256 deep");
        head = done(ledger, patch(DOCUMENT, head, times(DEEPEST - 1, NEST)));
        assertInvalid(patch(DOCUMENT, head, times(1, NEST)), "nested more than 256 deep");
        String bottom = "/a".repeat(DEEPEST);
        assertInvalid(
                patch(DOCUMENT, head, "[{\"op\":\"replace\",\"path\":\"" + bottom + "\",\"value\":[]}]"),
                "nested more than 256 deep");
        done(ledger, patch(DOCUMENT, head, "[{\"op\":\"replace\",\"path\":\"" + bottom + "\",\"value\":2}]"));
        assertSound();
    }

    @Test
    void moving_a_value_to_a_deeper_place_is_held_to_the_limit() throws IOException {
        String deep = "[".repeat(DEEPEST - 1) + "]".repeat(DEEPEST - 1);
        TxHash head = done(ledger, put(DOCUMENT, TxHash.NONE, "{\"deep\":" + deep + ",\"other\":{}}"));
        assertInvalid(
                patch(DOCUMENT, head, "[{\"op\":\"move\",\"from\":\"/deep\",\"path\":\"/other/deep\"}]"),
                "nested more than 256 deep");
        done(ledger, patch(DOCUMENT, head, "[{\"op\":\"move\",\"from\":\"/deep\",\"path\":\"/a\"}]"));
        assertSound();
    }

    @Test
    void a_put_built_in_code_is_held_to_the_depth_limit() {
        Json deep = Json.ofNull();
        for (int i = 0; i <= DEEPEST; i++) {
            deep = new Json.ArrayValue(List.of(deep));
        }
        assertInvalid(new Write(DOCUMENT, new Change.Put(deep), TxHash.NONE, Writes.id()), "nested more than 256 deep");
    }

    @Test
    void the_limit_counts_bytes_and_not_characters() throws IOException {
        Json tooLong = Json.of("\u20ac".repeat(6 * MEGABYTE));
        assertInvalid(new Write(DOCUMENT, new Change.Put(tooLong), TxHash.NONE, Writes.id()), "16777216 bytes");
        Json longest = Json.of("\u20ac".repeat((16 * MEGABYTE - 2) / 3));
        done(ledger, new Write(DOCUMENT, new Change.Put(longest), TxHash.NONE, Writes.id()));
        assertThat(ledger.read(DOCUMENT)).isInstanceOf(Document.Present.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 40, 5_000})
    void a_patch_that_doubles_the_document_again_and_again_is_refused(int times) throws IOException {
        TxHash head = done(ledger, put(DOCUMENT, TxHash.NONE, "{}"));
        assertThat(ledger.append(patch(DOCUMENT, head, times(times, DOUBLE)))).isInstanceOf(Append.Invalid.class);
        assertSound();
    }

    @Test
    void a_patch_that_copies_long_strings_is_refused() throws IOException {
        TxHash head = done(ledger, put(DOCUMENT, TxHash.NONE, "{\"a\":[\"" + "x".repeat(MEGABYTE / 2) + "\"]}"));
        String copy = "{\"op\":\"copy\",\"from\":\"/a/0\",\"path\":\"/a/-\"}";
        assertInvalid(patch(DOCUMENT, head, times(10_000, copy)), "16777216 bytes");
        done(ledger, patch(DOCUMENT, head, times(30, copy)));
        assertSound();
    }

    static List<String> hostilePatches() {
        return List.of(
                times(40, DOUBLE),
                times(10_000, NEST),
                times(DEEPEST, NEST),
                times(10_000, "{\"op\":\"copy\",\"from\":\"/s\",\"path\":\"/a/-\"}"));
    }

    @ParameterizedTest
    @MethodSource("hostilePatches")
    void a_signed_patch_beyond_the_limits_is_a_finding_and_damage_to_readers(String operations) throws IOException {
        String body = "{\"a\":[],\"s\":\"" + "x".repeat(100_000) + "\"}";
        TxHash head = done(ledger, put(DOCUMENT, TxHash.NONE, body));
        ledger.close();
        Tx tx = new Tx(
                Writes.id(), 1, DOCUMENT, Op.PATCH, "", Json.parse(operations).canonical(), head, 0, TxHash.NONE, "");
        Forgery.in(repository).append(tx, tx.bytes(), root);
        assertThat(findings())
                .isNotEmpty()
                .noneMatch(finding -> finding.toString().contains("Error"));
        ledger = Ledger.open(repository, LedgerOptions.defaults());
        assertThatThrownBy(() -> ledger.read(DOCUMENT)).isInstanceOf(DamagedObjectException.class);
        assertThat(ledger.append(put(StreamId.of("misc", "other"), TxHash.NONE, "1")))
                .isInstanceOf(Append.Refused.class);
    }

    @Test
    void copies_whose_merge_would_be_too_large_are_refused_with_what_to_do() throws IOException {
        String half = "x".repeat(9 * MEGABYTE);
        assertMergeRefused("{\"a\":\"" + half + "\"}", "{\"b\":\"" + half + "\"}", "16777216 bytes");
    }

    @Test
    void copies_whose_conflict_would_be_too_deep_are_refused_with_what_to_do() throws IOException {
        String deep = "[".repeat(DEEPEST - 1) + "1" + "]".repeat(DEEPEST - 1);
        assertMergeRefused(deep, deep.replace('1', '2'), "nested more than 256 deep");
    }

    private void assertMergeRefused(String ours, String theirs, String why) throws IOException {
        TxHash head = done(ledger, put(DOCUMENT, TxHash.NONE, "{}"));
        Path away = scratch.resolve("away.git");
        Clone clone = Ledger.cloneFrom(repository.toString(), away, trust(), LedgerOptions.defaults(), Progress.UNSEEN);
        try (Ledger other = ((Clone.Cloned) clone).ledger()) {
            other.addSigningKey(root);
            done(other, write(head, theirs));
        }
        done(ledger, write(head, ours));
        CommitId before = ledger.commit();
        assertThat(ledger.merge(away.toString()))
                .isInstanceOfSatisfying(
                        Merge.Refused.class,
                        refused -> assertThat(refused.reason())
                                .contains(DOCUMENT.toString(), why, "in one of the copies"));
        assertThat(ledger.commit()).isEqualTo(before);
        assertSound();
    }

    private static Write write(TxHash head, String body) {
        return new Write(DOCUMENT, new Change.Put(Json.parse(body, Document.LIMITS)), head, Writes.id());
    }

    private void assertInvalid(Write write, String why) {
        assertThat(ledger.append(write))
                .isInstanceOfSatisfying(
                        Append.Invalid.class,
                        invalid -> assertThat(invalid.reason()).contains(why));
    }

    private void assertSound() throws IOException {
        assertThat(findings()).isEmpty();
        assertThat(ledger.read(DOCUMENT)).isInstanceOf(Document.Present.class);
    }

    private List<Finding> findings() throws IOException {
        return Verifier.verify(repository, trust(), Verifier.Depth.DEEP).findings();
    }

    private Trust trust() {
        return Trust.in(root.publicKey().line());
    }

    private static String times(int count, String operations) {
        return "[" + String.join(",", Collections.nCopies(count, operations)) + "]";
    }
}
