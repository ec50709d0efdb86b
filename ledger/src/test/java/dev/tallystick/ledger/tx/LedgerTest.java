package dev.tallystick.ledger.tx;

import static dev.tallystick.ledger.Writes.delete;
import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.patch;
import static dev.tallystick.ledger.Writes.put;
import static dev.tallystick.ledger.Writes.revert;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.json.JsonPatch;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");

    @TempDir
    Path scratch;

    private Path repository;
    private Ledger ledger;

    @BeforeEach
    void open() throws IOException {
        repository = scratch.resolve("ledger.git");
        ledger = Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults());
    }

    @AfterEach
    void close() throws IOException {
        ledger.close();
        Native.accepts(repository, scratch);
    }

    @Test
    void a_document_is_read_back_with_its_head() throws IOException {
        TxHash head = done(ledger, put(ORDER, TxHash.NONE, "{\"total\": 10, \"currency\": \"EUR\"}"));

        assertThat(ledger.read(ORDER))
                .isEqualTo(new Document.Present(ORDER, 1, head, Json.parse("{\"currency\":\"EUR\",\"total\":10}")));
        assertThat(ledger.read(StreamId.of("orders", "never"))).isInstanceOf(Document.Absent.class);
    }

    @Test
    void a_write_on_another_head_is_refused_with_the_current_one() {
        TxHash head = done(ledger, put(ORDER, TxHash.NONE, "1"));

        assertThat(ledger.append(put(ORDER, TxHash.NONE, "2"))).isEqualTo(new Append.HeadChanged(head));
        assertThat(ledger.append(put(ORDER, TxHash.of(new byte[0]), "2"))).isEqualTo(new Append.HeadChanged(head));
    }

    @Test
    void a_retry_after_a_lost_reply_is_answered_appended() {
        Write write = put(ORDER, TxHash.NONE, "1");
        Append first = ledger.append(write);
        TxHash head = ((Append.Appended) first).head();
        assertThat(ledger.append(write)).isEqualTo(first);

        done(ledger, put(ORDER, head, "2"));
        assertThat(ledger.append(write)).isInstanceOfSatisfying(Append.Appended.class, again -> {
            assertThat(again.head()).isEqualTo(head);
            assertThat(again.version()).isEqualTo(1);
        });
    }

    @Test
    void a_continuation_of_an_answer_may_append() throws Exception {
        CompletableFuture<TxHash> second = ledger.submit(put(ORDER, TxHash.NONE, "1"))
                .thenApply(first -> done(ledger, put(ORDER, ((Append.Appended) first).head(), "2")));
        assertThat(second.get(60, TimeUnit.SECONDS))
                .isEqualTo(ledger.read(ORDER).head());
    }

    @Test
    void after_the_end_every_answer_is_that_the_ledger_is_closed() throws IOException {
        TxHash head = done(ledger, put(ORDER, TxHash.NONE, "1"));
        ledger.close();
        for (TxHash expected : List.of(head, TxHash.NONE)) {
            assertThat(ledger.append(put(ORDER, expected, "2"))).isInstanceOf(Append.Refused.class);
            assertThat(ledger.submit(put(ORDER, expected, "2")).join()).isInstanceOf(Append.Refused.class);
        }
        ledger = Ledger.open(repository, LedgerOptions.defaults());
        assertThat(ledger.log(ORDER, 100, 100)).hasSize(1);
    }

    @Test
    void the_id_of_a_transaction_does_not_serve_for_another() {
        Write write = put(ORDER, TxHash.NONE, "1");
        done(ledger, write);

        Write other = new Write(ORDER, new Change.Put(Json.parse("2")), TxHash.NONE, write.txId());
        assertThat(ledger.append(other)).isInstanceOf(Append.Invalid.class);
    }

    @Test
    void patches_are_applied_and_every_fifty_first_brings_a_snapshot() throws IOException {
        TxHash head = done(ledger, put(ORDER, TxHash.NONE, "{\"n\":0}"));
        for (int i = 1; i <= 102; i++) {
            head = done(ledger, patch(ORDER, head, "[{\"op\":\"replace\",\"path\":\"/n\",\"value\":" + i + "}]"));
        }

        List<LogEntry> log = ledger.log(ORDER, Integer.MAX_VALUE, 1000);
        assertThat(log).hasSize(103);
        assertThat(log.stream()
                        .filter(entry -> !entry.tx().snapshot().isEmpty())
                        .map(LogEntry::version))
                .containsExactly(103, 52, 1);
        for (int version = 1; version <= 103; version++) {
            assertThat(((Document.Present) ledger.readAt(ORDER, version)).body())
                    .isEqualTo(Json.parse("{\"n\":" + (version - 1) + "}"));
        }
    }

    @Test
    void a_document_can_be_deleted_and_brought_back() throws IOException {
        TxHash first = done(ledger, put(ORDER, TxHash.NONE, "{\"n\":1}"));
        TxHash second = done(ledger, delete(ORDER, first));
        assertThat(ledger.read(ORDER)).isEqualTo(new Document.Deleted(ORDER, 2, second));
        assertThat(ledger.append(patch(ORDER, second, "[]"))).isInstanceOf(Append.Invalid.class);
        assertThat(ledger.append(delete(ORDER, second))).isInstanceOf(Append.Invalid.class);

        TxHash third = done(ledger, revert(ORDER, second, 1));
        assertThat(ledger.read(ORDER)).isEqualTo(new Document.Present(ORDER, 3, third, Json.parse("{\"n\":1}")));
        assertThat(ledger.append(revert(ORDER, third, 4))).isInstanceOf(Append.Invalid.class);

        done(ledger, revert(ORDER, third, 2));
        assertThat(ledger.read(ORDER)).isInstanceOf(Document.Deleted.class);
    }

    @Test
    void the_difference_of_two_versions_is_a_patch() throws IOException {
        TxHash first = done(ledger, put(ORDER, TxHash.NONE, "{\"a\":[1,2,3,4],\"b\":{\"c\":true}}"));
        done(ledger, put(ORDER, first, "{\"a\":[1,3,4],\"b\":{\"c\":false,\"~/\":null}}"));

        JsonPatch patch = ledger.diff(ORDER, 1, 2);
        assertThat(patch.applyTo(((Document.Present) ledger.readAt(ORDER, 1)).body()))
                .isEqualTo(((Document.Present) ledger.readAt(ORDER, 2)).body());
        assertThat(ledger.diff(ORDER, 2, 2).operations().elements()).isEmpty();
    }

    @Test
    void a_difference_of_too_many_operations_replaces_the_document() throws IOException {
        String ones = "[" + "1,".repeat(JsonPatch.MOST_OPERATIONS) + "1]";
        TxHash first = done(ledger, put(ORDER, TxHash.NONE, ones));
        done(ledger, put(ORDER, first, ones.replace('1', '2')));
        assertThat(ledger.diff(ORDER, 1, 2).operations().elements()).hasSize(1);
    }

    @Test
    void streams_are_listed_in_pages() throws IOException {
        for (int i = 0; i < 30; i++) {
            done(ledger, put(StreamId.of("orders", "o-" + i), TxHash.NONE, "1"));
        }
        done(ledger, put(StreamId.of("invoices", "i-1"), TxHash.NONE, "1"));

        assertThat(ledger.collections()).containsExactly(new Collection("invoices"), new Collection("orders"));
        List<Listed> all = ledger.list(new Collection("orders"), "", 100);
        assertThat(all).hasSize(30).extracting(Listed::stream).doesNotHaveDuplicates();
        List<Listed> page = ledger.list(new Collection("orders"), all.get(9).path(), 10);
        assertThat(page).isEqualTo(all.subList(10, 20));
    }

    @Test
    void a_schema_is_enforced_from_when_it_is_put() throws IOException {
        TxHash head = done(ledger, put(ORDER, TxHash.NONE, "{\"total\":\"ten\"}"));
        Json schema = Json.parse("{\"type\":\"object\",\"properties\":{\"total\":{\"type\":\"number\"}}}");
        assertThat(ledger.putSchema(ORDER.collection(), schema)).isInstanceOf(Append.Appended.class);
        assertThat(ledger.schema(ORDER.collection())).contains(schema);

        assertThat(ledger.append(put(ORDER, head, "{\"total\":\"eleven\"}"))).isInstanceOf(Append.Invalid.class);
        assertThat(ledger.append(patch(ORDER, head, "[{\"op\":\"add\",\"path\":\"/x\",\"value\":1}]")))
                .isInstanceOf(Append.Invalid.class);
        done(ledger, put(ORDER, head, "{\"total\":11}"));
        assertThat(ledger.log(ORDER, 2, 1).getFirst().tx().schemaVersion()).isEqualTo(1);
    }

    @Test
    void a_schema_never_reaches_out_for_another_one() {
        Json schema = Json.parse("{\"$ref\":\"http://localhost:9/schema.json\"}");
        assertThat(ledger.putSchema(ORDER.collection(), schema)).isInstanceOf(Append.Invalid.class);
        Json within = Json.parse("{\"properties\":{\"x\":{\"$ref\":\"http://localhost:9/schema.json\"}}}");
        assertThat(ledger.putSchema(new Collection("within"), within)).isInstanceOf(Append.Invalid.class);
        Json file = Json.parse("{\"$ref\":\"file:///etc/passwd\"}");
        assertThat(ledger.putSchema(ORDER.collection(), file)).isInstanceOf(Append.Invalid.class);
    }

    @Test
    void a_ledger_that_is_opened_again_has_everything() throws IOException {
        TxHash head = done(ledger, put(ORDER, TxHash.NONE, "1"));
        ledger.close();
        ledger = Ledger.open(repository, LedgerOptions.defaults());
        assertThat(ledger.read(ORDER).head()).isEqualTo(head);
        done(ledger, put(ORDER, head, "2"));
    }

    @Test
    void keys_are_rotated_and_the_new_one_signs_from_the_next_commit_on() throws IOException {
        TxHash head = done(ledger, put(ORDER, TxHash.NONE, "1"));
        SigningKey next = SigningKey.generate();
        assertThat(ledger.rotateKey(next)).isInstanceOf(Append.Appended.class);
        done(ledger, put(ORDER, head, "2"));
        assertThat(ledger.keys()).hasSize(2).last().isEqualTo(next.publicKey());

        Path signers = scratch.resolve("signers");
        java.nio.file.Files.writeString(signers, "tallystick " + next.publicKey() + "\n");
        String log = Native.git(
                repository, "-c", "gpg.ssh.allowedSignersFile=" + signers, "log", "-1", "--format=%G?", "main");
        assertThat(log.strip()).isEqualTo("G");
    }

    @Test
    void git_log_shows_good_signatures() throws IOException {
        done(ledger, put(ORDER, TxHash.NONE, "1"));
        Path signers = scratch.resolve("signers");
        java.nio.file.Files.writeString(signers, "tallystick " + ledger.keys().getFirst() + "\n");
        String[] log = {"-c", "gpg.ssh.allowedSignersFile=" + signers, "log", "--show-signature", "main"};
        assertThat(Native.git(repository, log).lines().filter(line -> line.startsWith("Good \"git\" signature")))
                .hasSize(2);
    }
}
