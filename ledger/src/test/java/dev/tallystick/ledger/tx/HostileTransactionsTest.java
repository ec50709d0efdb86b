package dev.tallystick.ledger.tx;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.patch;
import static dev.tallystick.ledger.Writes.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Writes;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The holder of the key can sign anything. Deep verification reports what the format forbids, and survives it. */
class HostileTransactionsTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final StreamId NEW = StreamId.of("notes", "n-1");
    private static final int PATCHES = 50;

    @TempDir(factory = Memory.class)
    static Path scratch;

    private static final SigningKey ROOT = SigningKey.generate();
    private static Path repository;
    private static TxHash honestHead;
    private static String honestMain;

    private TxHash head;

    @BeforeAll
    static void write_a_small_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        try (Ledger ledger = Ledger.init(repository, ROOT, LedgerOptions.defaults())) {
            ledger.putSchema(
                    new Collection("orders"),
                    Json.parse("{\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}"));
            honestHead = done(ledger, put(ORDER, TxHash.NONE, "{\"list\":[1,2],\"n\":1}"));
        }
        honestMain = main();
    }

    @BeforeEach
    void forget_what_was_forged() throws IOException {
        head = honestHead;
        moveMain(honestMain);
        Files.deleteIfExists(repository.resolve("tally/verified"));
    }

    @Test
    void the_writer_makes_canonical_numbers_and_strings() throws IOException {
        List<String> documents = List.of(
                "[0,-1,1.5,1e21,1e-7,5e-324,0.000001,-1.7976931348623157e308,9007199254740992]",
                "[\"\\u0000\\u001f\\b\\t\\n\\f\\r\\\"\\\\/\\u007f\",\"\u00e9\u20ac\ud83d\ude00\",\"\"]",
                "{\"\u20ac\":1,\"\ud83d\ude00\":2,\"\ufb33\":3,\"\":{},\"a\":[],\"aa\":null,\"b\":true}",
                "\"text\"",
                "100");
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            for (int i = 0; i < documents.size(); i++) {
                done(ledger, put(StreamId.of("notes", "n" + i), TxHash.NONE, documents.get(i)));
            }
        }
        assertThat(verify().findings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"b\":1,\"a\":2}",
                "{\"a\":1,\"a\":2}",
                "{\"a\": 1}",
                " 1",
                "1.0",
                "01",
                "-0",
                "1e2",
                "1E21",
                "10000000000000000000000",
                "0.0000001",
                "+1",
                ".5",
                "NaN",
                "\"\\u0041\"",
                "\"\\/\"",
                "\"\\u000A\"",
                "\"\\u001F\"",
                "[1,]",
                "{}{}",
                "tru",
                "\"open",
                "not JSON"
            })
    void a_snapshot_that_is_not_canonical_is_reported(String snapshot) throws IOException {
        forge(new Tx(Writes.id(), 1, NEW, Op.PUT, snapshot, "", TxHash.NONE, 0, TxHash.NONE, ""));
        assertReported("canonical");
    }

    static Stream<String> patches() {
        return Stream.of(
                "[{\"op\":\"remove\",\"path\":\"/missing\"}]",
                "[{\"op\":\"remove\",\"path\":\"\"}]",
                "[{\"op\":\"test\",\"path\":\"/n\",\"value\":2}]",
                "[{\"op\":\"add\",\"path\":\"/list/9\",\"value\":2}]",
                "[{\"op\":\"replace\",\"path\":\"/list/01\",\"value\":2}]",
                "[{\"op\":\"add\",\"path\":\"n\",\"value\":2}]",
                "[{\"op\":\"add\",\"path\":\"/~2\",\"value\":2}]",
                "[{\"from\":\"/list\",\"op\":\"move\",\"path\":\"/list/0\"}]",
                "[{\"op\":\"add\",\"path\":\"/n\"}]",
                "[{\"path\":\"/n\"}]",
                "[{\"op\":\"turn\",\"path\":\"/n\"}]",
                "[1]",
                "{}",
                "[" + "{\"from\":\"\",\"op\":\"copy\",\"path\":\"/list/0\"},".repeat(40)
                        + "{\"op\":\"remove\",\"path\":\"/n\"}]",
                "[{\"op\":\"add\",\"path\":\"/n\",\"value\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}]");
    }

    @ParameterizedTest
    @MethodSource("patches")
    void a_patch_that_does_not_apply_is_reported(String patch) throws IOException {
        forge(new Tx(Writes.id(), 1, ORDER, Op.PATCH, "", patch, head, 1, TxHash.NONE, ""));
        assertReported("patch", "canonical", "cannot be read");
    }

    @Test
    void a_document_that_is_not_there_is_neither_patched_nor_deleted() throws IOException {
        TxHash deleted = forge(new Tx(Writes.id(), 1, ORDER, Op.DELETE, "", "", head, 1, TxHash.NONE, ""));
        assertThat(verify().findings()).isEmpty();
        forge(new Tx(Writes.id(), 1, ORDER, Op.PATCH, "", "[]", deleted, 1, TxHash.NONE, ""));
        assertReported("it patches a document that is not there");
    }

    @Test
    void a_document_is_deleted_once() throws IOException {
        TxHash deleted = forge(new Tx(Writes.id(), 1, ORDER, Op.DELETE, "", "", head, 1, TxHash.NONE, ""));
        forge(new Tx(Writes.id(), 1, ORDER, Op.DELETE, "", "", deleted, 1, TxHash.NONE, ""));
        assertReported("it deletes a document that is not there");
    }

    @Test
    void a_schema_version_that_is_not_in_force_is_reported() throws IOException {
        Tx honest = new Tx(Writes.id(), 1, ORDER, Op.PUT, "{\"n\":2}", "", head, 1, TxHash.NONE, "");
        for (int version : new int[] {0, 2}) {
            String before = main();
            Tx forged = new Tx(honest.txId(), 1, ORDER, Op.PUT, "{\"n\":2}", "", head, version, TxHash.NONE, "");
            Forgery.in(repository).append(honest, forged.bytes(), ROOT);
            assertReported("1 is in force");
            moveMain(before);
        }
    }

    @Test
    void a_document_that_does_not_conform_is_reported() throws IOException {
        String before = main();
        forge(new Tx(Writes.id(), 1, ORDER, Op.PUT, "{\"n\":\"one\"}", "", head, 1, TxHash.NONE, ""));
        assertReported("does not conform to schema 1");
        moveMain(before);
        String patch = "[{\"op\":\"replace\",\"path\":\"/n\",\"value\":\"one\"}]";
        forge(new Tx(Writes.id(), 1, ORDER, Op.PATCH, "", patch, head, 1, TxHash.NONE, ""));
        assertReported("does not conform to schema 1");
    }

    @Test
    void a_snapshot_after_fifty_patches_is_demanded_and_must_be_right() throws IOException {
        String patch = "[{\"op\":\"replace\",\"path\":\"/n\",\"value\":7}]";
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            for (int i = 0; i < PATCHES; i++) {
                head = done(ledger, patch(ORDER, head, patch));
            }
        }
        assertThat(verify().findings()).isEmpty();
        String before = main();
        forge(new Tx(Writes.id(), 1, ORDER, Op.PATCH, "", patch, head, 1, TxHash.NONE, ""));
        assertReported("more than 50 patches");
        moveMain(before);
        forge(new Tx(Writes.id(), 1, ORDER, Op.PATCH, "{\"n\":8}", patch, head, 1, TxHash.NONE, ""));
        assertReported("its snapshot is not what its patches lead to");
        moveMain(before);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            done(ledger, patch(ORDER, head, patch));
        }
        assertThat(verify().findings()).isEmpty();
    }

    @Test
    void names_that_the_format_does_not_allow_are_reported() throws IOException {
        Tx honest = new Tx(Writes.id(), 1, NEW, Op.PUT, "{}", "", TxHash.NONE, 0, TxHash.NONE, "");
        for (List<String> names : List.of(
                List.of("n-1", "n\u00071"),
                List.of("n-1", "n\u007f1"),
                List.of("notes", "Notes"),
                List.of("notes", "-otes"))) {
            String before = main();
            String bytes = new String(honest.bytes(), UTF_8).replace(names.get(0), names.get(1));
            Forgery.in(repository).append(honest, bytes.getBytes(UTF_8), ROOT);
            assertReported("not in its one form");
            moveMain(before);
        }
    }

    private static String main() throws IOException {
        return Files.readString(repository.resolve("refs/heads/main"));
    }

    private static void moveMain(String main) throws IOException {
        Files.writeString(repository.resolve("refs/heads/main"), main);
    }

    private TxHash forge(Tx tx) throws IOException {
        Forgery.in(repository).append(tx, tx.bytes(), ROOT);
        return TxHash.of(tx.bytes());
    }

    private void assertReported(String... details) throws IOException {
        assertThat(verify().findings()).anySatisfy(finding -> {
            assertThat(finding.kind()).isEqualTo(Finding.Kind.STREAM);
            assertThat(finding.detail()).containsAnyOf(details);
        });
    }

    private Report verify() throws IOException {
        return Verifier.verify(repository, Trust.in(ROOT.publicKey().line()), Verifier.Depth.DEEP);
    }
}
