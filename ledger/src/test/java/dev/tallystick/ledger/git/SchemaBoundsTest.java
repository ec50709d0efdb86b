package dev.tallystick.ledger.git;

import static dev.tallystick.ledger.Writes.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Writes;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.history.Leaf;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a schema says, applying it comes to an end: for the writer, and for verifiers of what another one signed. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SchemaBoundsTest {

    private static final Collection ORDERS = new Collection("orders");
    private static final StreamId ORDER = StreamId.of("orders", "o-1");

    @TempDir(factory = Memory.class)
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;
    private Ledger ledger;

    @BeforeEach
    void begin_a_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        ledger = Ledger.init(repository, root, LedgerOptions.defaults());
    }

    @AfterEach
    void close_it() throws IOException {
        ledger.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"^(a+)+$", "^(a|a)*$", "^(.*a){20}$", "(a*)*b"})
    void a_pattern_that_would_try_everything_takes_one_pass(String pattern) throws IOException {
        assertThat(ledger.putSchema(ORDERS, Json.parse("{\"pattern\":\"" + pattern + "\"}")))
                .isInstanceOf(Append.Appended.class);
        assertThat(ledger.append(put(ORDER, TxHash.NONE, "\"" + "a".repeat(50_000) + "!\"")))
                .isInstanceOf(Append.Invalid.class);
        assertThat(verify()).isEmpty();
    }

    @Test
    void patterns_are_those_of_json_schema_as_far_as_they_are_linear() throws IOException {
        ledger.putSchema(
                ORDERS,
                Json.parse(
                        "{\"patternProperties\":{\"^\\\\p{Letter}+$\":{\"pattern\":\"^\\\\u0041\\\\d{2}\\\\/[\\\\w-]$\"}},"
                                + "\"additionalProperties\":false}"));
        assertThat(ledger.append(put(ORDER, TxHash.NONE, "{\"\u00e9\":\"A12/-\"}")))
                .isInstanceOf(Append.Appended.class);
        for (String body : List.of("{\"a\":\"A12/-\\n\"}", "{\"a1\":\"A12/-\"}", "{\"a\":\"B12/-\"}")) {
            assertThat(ledger.append(put(StreamId.of("orders", "o-2"), TxHash.NONE, body)))
                    .as(body)
                    .isInstanceOf(Append.Invalid.class);
        }
        assertThat(verify()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"pattern\":\"(?=a)b\"}",
                "{\"pattern\":\"(a)\\\\1\"}",
                "{\"pattern\":\"((a{1000}){1000}){1000}\"}",
                "{\"patternProperties\":{\"(?!a)\":true}}",
                "{\"pattern\":\"(\"}",
                "{\"$ref\":\"#\"}",
                "{\"$ref\":\"https://example.com/schema\"}"
            })
    void a_schema_without_an_end_is_refused_with_words(String schema) {
        assertThat(ledger.putSchema(ORDERS, Json.parse(schema)))
                .isInstanceOfSatisfying(
                        Append.Invalid.class,
                        invalid -> assertThat(invalid.reason())
                                .startsWith("this schema cannot be used: ")
                                .doesNotContain("Exception"));
    }

    @Test
    void references_that_double_at_each_level_are_cut_off() throws IOException {
        assertThat(ledger.putSchema(ORDERS, Json.parse(doubling())))
                .isInstanceOfSatisfying(
                        Append.Invalid.class,
                        invalid -> assertThat(invalid.reason()).contains("too many keywords"));
        String twice = "{\"additionalProperties\":{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}}";
        assertThat(ledger.putSchema(ORDERS, Json.parse(twice))).isInstanceOf(Append.Appended.class);
        String nested = "{\"a\":".repeat(60) + "1" + "}".repeat(60);
        assertThat(ledger.append(put(ORDER, TxHash.NONE, nested)))
                .isInstanceOfSatisfying(
                        Append.Invalid.class,
                        invalid -> assertThat(invalid.reason()).contains("too many keywords"));
        assertThat(ledger.append(put(ORDER, TxHash.NONE, "{\"a\":1}"))).isInstanceOf(Append.Appended.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"pattern\":\"((a{1000}){1000}){1000}\"}", "doubling", "{\"$ref\":\"#\"}", "5", "[]", ""})
    void an_unusable_schema_that_the_key_holder_signed_is_reported(String named) throws IOException {
        byte[] schema = (named.equals("doubling") ? doubling() : named).getBytes(UTF_8);
        Forgery.in(repository)
                .plant(
                        (store, pack, honest) -> {
                            TreeEdit edit = TreeEdit.of(store, honest);
                            edit.directory(List.of("schemas", "orders")).put("1", pack.add(ObjectType.BLOB, schema));
                            return edit.writeTo(pack);
                        },
                        root,
                        Leaf.of("schemas/orders/1", schema));
        Tx tx = new Tx(Writes.id(), 1, ORDER, Op.PUT, "{\"a\":1}", "", TxHash.NONE, 1, TxHash.NONE, "");
        Forgery.in(repository).append(tx, tx.bytes(), root);
        assertThat(verify()).anySatisfy(finding -> {
            assertThat(finding.kind()).isEqualTo(Finding.Kind.STREAM);
            assertThat(finding.detail()).startsWith("schema 1 cannot be used: ");
        });
        assertThat(ledger.append(put(StreamId.of("orders", "o-2"), TxHash.NONE, "{}")))
                .isInstanceOfAny(Append.Invalid.class, Append.Refused.class);
    }

    private static String doubling() {
        StringBuilder definitions = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            String next = "{\"$ref\":\"#/$defs/a" + (i + 1) + "\"}";
            definitions.append("\"a" + i + "\":{\"allOf\":[" + next + "," + next + "]},");
        }
        return "{\"$defs\":{" + definitions + "\"a40\":{}},\"$ref\":\"#/$defs/a0\"}";
    }

    private List<Finding> verify() throws IOException {
        return Verifier.verify(repository, Trust.in(root.publicKey().line()), Verifier.Depth.DEEP)
                .findings();
    }
}
