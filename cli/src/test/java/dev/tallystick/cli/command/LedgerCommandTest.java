package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.core.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerCommandTest {

    @TempDir
    Path scratch;

    private Path rootKey;

    @BeforeEach
    void init() throws IOException {
        rootKey = scratch.resolve("root.pub");
        Files.writeString(rootKey, text(json(ledger("init")), "root_key") + "\n");
    }

    @Test
    void a_document_is_put_and_got_with_its_head() {
        Map<String, Json> put = json(put("{\"total\":10}", "", "01JGFJJZ000000000000000001"));
        assertThat(put).containsKeys("head", "commit").containsEntry("tx_id", Json.of("01JGFJJZ000000000000000001"));

        Map<String, Json> got = json(ledger("get", "orders", "o-1"));
        assertThat(got)
                .containsEntry("head", Json.of(text(put, "head")))
                .containsEntry("body", Json.parse("{\"total\":10}"));
    }

    @Test
    void a_write_on_another_head_is_a_conflict_that_names_the_current_one() {
        String head = text(json(put("1", "", "01JGFJJZ000000000000000001")), "head");

        Run conflict = put("2", "", "01JGFJJZ000000000000000002");
        assertThat(conflict.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(Json.parse(conflict.out()))
                .isInstanceOfSatisfying(
                        Json.ObjectValue.class,
                        fields -> assertThat(fields.members()).containsEntry("current_head", Json.of(head)));

        Run again = put("1", "", "01JGFJJZ000000000000000001");
        assertThat(text(json(again), "head")).isEqualTo(head);

        String repository = scratch.resolve("books.git").toString();
        Run prose =
                Run.tally("ledger", "--repo", repository, "put", "orders", "o-1", "--body", "2", "--expected-head", "");
        assertThat(prose.exitCode()).isEqualTo(4);
        assertThat(prose.out()).isEqualTo("conflict: the head is " + head + "\n");
        Run first = Run.tally(
                "ledger", "--repo", repository, "put", "orders", "o-2", "--body", "2", "--expected-head", head);
        assertThat(first.exitCode()).isEqualTo(4);
        assertThat(first.out()).isEqualTo("conflict: the head is ''\n");
    }

    @Test
    void a_head_must_be_named() {
        Run run = ledger("put", "orders", "o-1", "--body", "1");
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("--expected-head");
    }

    @Test
    void invalid_input_is_refused_as_wrong_usage() {
        assertThat(put("{", "", "01JGFJJZ000000000000000001").exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(put("1", "short", "01JGFJJZ000000000000000001").exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(put("1", "", "not-a-ulid").exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(ledger("get", "..", "o-1").exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(ledger("get", "orders", "o-1").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(Run.tally("ledger", "--repo", scratch.resolve("none").toString(), "inspect")
                        .exitCode())
                .isEqualTo(ExitCode.NOT_FOUND.code());
    }

    @Test
    void a_document_is_patched_deleted_and_reverted() {
        String first = text(json(put("{\"n\":1}", "", "01JGFJJZ000000000000000001")), "head");
        String patch = "[{\"op\":\"replace\",\"path\":\"/n\",\"value\":2}]";
        String second = text(json(ledger("patch", "orders", "o-1", "--body", patch, "--expected-head", first)), "head");
        assertThat(json(ledger("diff", "orders", "o-1", "--from", "1", "--to", "2")))
                .containsEntry("patch", Json.parse(patch));
        String third = text(json(ledger("delete", "orders", "o-1", "--expected-head", second)), "head");
        assertThat(ledger("get", "orders", "o-1").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        json(ledger("revert", "orders", "o-1", "--to", "1", "--expected-head", third));
        assertThat(json(ledger("get", "orders", "o-1"))).containsEntry("body", Json.parse("{\"n\":1}"));
        assertThat(json(ledger("get", "orders", "o-1", "--at", "2"))).containsEntry("body", Json.parse("{\"n\":2}"));
        assertThat(json(ledger("log", "orders", "o-1")).get("transactions"))
                .isInstanceOfSatisfying(
                        Json.ArrayValue.class, log -> assertThat(log.elements()).hasSize(4));
        assertThat(json(ledger("list"))).containsEntry("collections", Json.parse("[\"orders\"]"));
    }

    @Test
    void a_schema_is_put_in_force() throws IOException {
        Path schema = scratch.resolve("schema.json");
        Files.writeString(schema, "{\"type\":\"number\"}");
        json(ledger("schema", "orders", "--file", schema.toString()));
        assertThat(put("\"text\"", "", "01JGFJJZ000000000000000001").exitCode()).isEqualTo(ExitCode.USAGE.code());
        json(put("1", "", "01JGFJJZ000000000000000002"));
    }

    @Test
    void a_ledger_verifies_until_it_is_tampered_with() throws IOException {
        json(put("1", "", "01JGFJJZ000000000000000001"));
        Path anchor = scratch.resolve("anchor.json");
        json(ledger("anchor", anchor.toString()));
        String[] verify = {"verify", "--root-key", rootKey.toString(), "--anchor", anchor.toString()};
        assertThat(json(ledger(verify)))
                .containsEntry("verdict", Json.of("verified"))
                .containsEntry("transactions", Json.of(1));

        assertThat(json(ledger("verify"))).containsEntry("verdict", Json.of("consistent"));
        assertThat(Run.tally("ledger", "--repo", scratch.resolve("books.git").toString(), "verify")
                        .out())
                .contains("checked against: only itself");
        assertThat(json(ledger("verify", "--quick", "--current-key", rootKey.toString())))
                .containsEntry("depth", Json.of("quick"));
        json(ledger("keys", "--rotate"));
        assertThat(ledger("verify", "--current-key", rootKey.toString()).exitCode())
                .isEqualTo(ExitCode.CONFLICT.code());

        Files.writeString(scratch.resolve("books.git/refs/heads/main"), "0".repeat(40) + "\n");
        assertThat(ledger(verify).exitCode()).isEqualTo(ExitCode.CONFLICT.code());
    }

    @Test
    void a_receipt_is_checked_offline() throws IOException {
        json(put("1", "", "01JGFJJZ000000000000000001"));
        json(ledger("keys", "--rotate"));
        json(ledger("put", "orders", "o-2", "--body", "2", "--expected-head", ""));
        Path receipt = scratch.resolve("receipt.json");
        Files.writeString(
                receipt, ledger("receipt", "orders", "o-1", "--at", "1").out());

        Run proven = Run.tally("verify", receipt.toString(), "--root-key", rootKey.toString(), "--json");
        assertThat(json(proven)).containsEntry("stream", Json.of("orders/o-1"));
        Path currentKey = scratch.resolve("current.pub");
        Json.ArrayValue keys = (Json.ArrayValue) json(ledger("keys")).getOrDefault("keys", Json.ofNull());
        Files.writeString(currentKey, ((Json.StringValue) keys.elements().getLast()).value() + "\n");
        String[] verify = {"verify", receipt.toString(), "--root-key", rootKey.toString(), "--current-key", ""};
        verify[5] = currentKey.toString();
        assertThat(Run.tally(verify).exitCode()).isZero();
        verify[5] = rootKey.toString();
        assertThat(Run.tally(verify).exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        Files.writeString(receipt, Files.readString(receipt).replace("\"path\":[", "\"path\":[{\"left\":\"00\"},"));
        assertThat(Run.tally("verify", receipt.toString(), "--root-key", rootKey.toString())
                        .exitCode())
                .isEqualTo(ExitCode.CONFLICT.code());
    }

    @Test
    void a_ledger_is_packed_and_bundled() {
        json(put("1", "", "01JGFJJZ000000000000000001"));
        assertThat(json(ledger("gc"))).containsKey("objects");
        String bundle = scratch.resolve("books.bundle").toString();
        json(ledger("bundle", bundle));
        assertThat(ledger("bundle", bundle).exitCode()).isEqualTo(ExitCode.CONFLICT.code());
    }

    private Run put(String body, String head, String txId) {
        return ledger("put", "orders", "o-1", "--body", body, "--expected-head", head, "--tx-id", txId);
    }

    private Run ledger(String... arguments) {
        List<String> all = new ArrayList<>(
                List.of("ledger", "--repo", scratch.resolve("books.git").toString()));
        all.addAll(List.of(arguments));
        all.add("--json");
        return Run.tally(all.toArray(String[]::new));
    }

    private static Map<String, Json> json(Run run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return ((Json.ObjectValue) Json.parse(run.out())).members();
    }

    private static String text(Map<String, Json> fields, String name) {
        return ((Json.StringValue) fields.getOrDefault(name, Json.of(""))).value();
    }
}
