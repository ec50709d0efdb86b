package dev.tallystick.ledger.query;

import static dev.tallystick.ledger.Writes.delete;
import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.patch;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Changed;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import dev.tallystick.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueryIndexTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final String DOCUMENTS = "select * from document order by collection, doc_id";
    private static final String TRANSACTIONS = "select * from tx order by collection, doc_id, version";

    @TempDir
    Path scratch;

    private Path repository;
    private Ledger ledger;
    private TxHash head;

    @BeforeEach
    void open() throws IOException {
        repository = scratch.resolve("ledger.git");
        ledger = Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults());
        head = done(ledger, put(ORDER, TxHash.NONE, "{\"total\":10}"));
        done(ledger, put(StreamId.of("notes", "n"), TxHash.NONE, "\"a note\""));
    }

    @AfterEach
    void close() throws IOException {
        ledger.close();
        Native.accepts(repository, scratch);
    }

    @Test
    void documents_and_transactions_are_asked_for_in_sql() throws IOException {
        done(ledger, patch(ORDER, head, "[{\"op\":\"replace\",\"path\":\"/total\",\"value\":12}]"));
        try (QueryIndex index = ledger.index()) {
            assertThat(index.query(
                            "select doc_id, version, body ->> 'total' as total from document where deleted = 0 "
                                    + "and collection = 'orders'",
                            10))
                    .isEqualTo(new QueryIndex.Rows(
                            List.of("doc_id", "version", "total"),
                            List.of(List.of(Json.of("o-1"), Json.of(2), Json.of(12))),
                            false));
            assertThat(index.query("select op from tx order by tx_id", 2).rows())
                    .hasSize(2);
            assertThat(index.query("select op from tx", 2).more()).isTrue();
        }
    }

    @Test
    void the_index_follows_the_head_and_is_what_a_rebuild_makes() throws IOException {
        try (QueryIndex index = ledger.index()) {
            TxHash second = done(ledger, patch(ORDER, head, "[]"));
            done(ledger, delete(ORDER, second));
            for (int i = 0; i < 20; i++) {
                done(ledger, put(StreamId.of("orders", "more-" + i), TxHash.NONE, Integer.toString(i)));
            }
            index.refresh();
            QueryIndex.Rows documents = index.query(DOCUMENTS, 1_000);
            QueryIndex.Rows transactions = index.query(TRANSACTIONS, 1_000);
            assertThat(documents.rows()).hasSize(22);
            assertThat(transactions.rows()).hasSize(24);
            index.rebuild();
            assertThat(index.query(DOCUMENTS, 1_000)).isEqualTo(documents);
            assertThat(index.query(TRANSACTIONS, 1_000)).isEqualTo(transactions);
        }
    }

    @Test
    void the_index_follows_a_head_that_went_back_or_aside() throws IOException {
        String before = Native.git(repository, "rev-parse", "main").strip();
        done(ledger, put(ORDER, head, "{\"total\":11}"));
        try (QueryIndex index = ledger.index()) {
            Native.git(repository, "update-ref", "refs/heads/main", before);
            index.refresh();
            assertThat(index.query("select version from document where doc_id = 'o-1'", 1)
                            .rows())
                    .containsExactly(List.of(Json.of(1)));
            assertThat(index.query("select version from tx where doc_id = 'o-1'", 9)
                            .rows())
                    .hasSize(1);
        }
    }

    @Test
    void a_question_changes_nothing_and_reaches_nothing_else() throws IOException {
        Path other = scratch.resolve("other.db");
        try (QueryIndex index = ledger.index()) {
            for (String sql : List.of(
                    "delete from document",
                    "update tx set op = 'put'",
                    "drop table tx",
                    "create table x (a)",
                    "insert into document select * from document",
                    "attach '" + other + "' as other",
                    "select load_extension('x')",
                    "vacuum into '" + other + "'",
                    "pragma query_only = off",
                    "nonsense",
                    "select * from nowhere")) {
                assertThatIllegalArgumentException().as(sql).isThrownBy(() -> {
                    QueryIndex.Rows rows = index.query(sql, 10);
                    if (sql.startsWith("pragma")) {
                        throw new IllegalArgumentException("harmless: " + rows);
                    }
                });
            }
            assertThat(other).doesNotExist();
            assertThat(index.query(DOCUMENTS, 10).rows()).hasSize(2);
        }
    }

    @Test
    void an_index_that_was_edited_is_not_used() throws Exception {
        TxHash second = done(ledger, patch(ORDER, head, "[]"));
        done(ledger, delete(ORDER, second));
        List<QueryIndex.Rows> answers = answers();
        for (String edit : List.of(
                "update document set body = '{\"total\":99}'",
                "delete from document where doc_id = 'n'",
                "insert into document select 'orders', 'forged', version, head, deleted, updated_at, body from document"
                        + " where doc_id = 'n'",
                "update tx set op = 'put'",
                "delete from tx where version = 2",
                "update indexed set commit_id = '"
                        + Native.git(repository, "rev-parse", "main~1").strip() + "'",
                "drop table tx",
                "alter table tx rename to txx",
                "create trigger later after insert on tx begin delete from document; end")) {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + saved());
                    Statement statement = connection.createStatement()) {
                assertThat(statement.execute(edit)).isFalse();
            }
            assertThat(answers()).as(edit).isEqualTo(answers);
        }
    }

    @Test
    void a_saved_index_that_was_changed_anywhere_is_not_used() throws IOException {
        List<QueryIndex.Rows> answers = answers();
        byte[] original = Files.readAllBytes(saved());
        java.util.Random random = new java.util.Random(5);
        for (int i = 0; i < 20; i++) {
            byte[] changed = original.clone();
            int at = i == 0 ? original.length - 1 : random.nextInt(original.length);
            changed[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(saved(), i % 4 == 3 ? java.util.Arrays.copyOf(original, at) : changed);
            assertThat(answers()).as("byte %d", at).isEqualTo(answers);
        }
        Files.writeString(saved(), "this is no database, but long enough to be read as one");
        assertThat(answers()).isEqualTo(answers);
    }

    @Test
    void an_index_that_a_stranger_sealed_is_not_used() throws IOException {
        Path theirs = scratch.resolve("theirs.git");
        SigningKey stranger = SigningKey.generate();
        try (Ledger other = Ledger.init(theirs, stranger, LedgerOptions.defaults())) {
            done(other, put(ORDER, TxHash.NONE, "\"forged\""));
            other.index().close();
        }
        List<QueryIndex.Rows> answers = answers();
        Files.copy(theirs.resolve("tally/index.db"), saved(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        ledger.addSigningKey(stranger);
        assertThat(answers()).isEqualTo(answers);
    }

    @Test
    void a_saved_index_is_used_by_the_next_opening() throws IOException {
        ledger.index().close();
        Object before = Files.getAttribute(saved(), "unix:ino");
        List<QueryIndex.Rows> answers = answers();
        assertThat(Files.getAttribute(saved(), "unix:ino")).isEqualTo(before);
        Files.delete(saved());
        assertThat(answers()).isEqualTo(answers);
        assertThat(saved()).exists();
    }

    @Test
    void a_copy_without_the_key_answers_without_a_saved_index() throws IOException {
        List<QueryIndex.Rows> answers = answers();
        Path copy = scratch.resolve("copy.git");
        Ledger.cloneFrom(
                repository.toString(),
                copy,
                dev.tallystick.ledger.verifier.Trust.nothing(),
                LedgerOptions.defaults(),
                Progress.UNSEEN);
        Files.copy(saved(), copy.resolve("tally/index.db"));
        try (Ledger keyless = Ledger.open(copy, LedgerOptions.defaults());
                QueryIndex index = keyless.index()) {
            assertThat(List.of(index.query(DOCUMENTS, 1_000), index.query(TRANSACTIONS, 1_000)))
                    .isEqualTo(answers);
        }
    }

    @Test
    void one_document_that_cannot_be_read_does_not_stop_questions_about_the_others() throws IOException {
        done(ledger, put(ORDER, head, "{\"total\":11}"));
        String lost = Native.git(repository, "ls-tree", "-r", "main", "documents/orders")
                .lines()
                .filter(line -> line.endsWith("/1/1"))
                .findFirst()
                .orElseThrow()
                .substring(12, 52);
        ledger.close();
        loosen();
        Path object = repository.resolve("objects/" + lost.substring(0, 2) + "/" + lost.substring(2));
        byte[] whole = Files.readAllBytes(object);
        Files.delete(object);
        ledger = Ledger.open(repository, LedgerOptions.defaults());
        try (QueryIndex index = ledger.index()) {
            assertThat(index.query("select doc_id from document", 9).rows()).containsExactly(List.of(Json.of("n")));
            assertThat(index.damaged()).isEqualTo(1);
            assertThat(index.query("select path from damaged", 9).rows().toString())
                    .contains(String.join("/", ORDER.path()));
        }
        Files.write(object, whole);
        try (QueryIndex index = ledger.index()) {
            assertThat(index.query(DOCUMENTS, 9).rows()).hasSize(2);
            assertThat(index.damaged()).isZero();
        }
    }

    private void loosen() throws IOException {
        Path packs = Files.move(repository.resolve("objects/pack"), scratch.resolve("packs"));
        Files.createDirectory(repository.resolve("objects/pack"));
        try (var files = Files.list(packs)) {
            for (Path pack :
                    files.filter(file -> file.toString().endsWith(".pack")).toList()) {
                String unpack = "git unpack-objects -q < " + pack;
                assertThat(Native.run(repository, java.util.Map.of(), "sh", "-c", unpack)
                                .status())
                        .isZero();
            }
        }
    }

    private Path saved() {
        return repository.resolve("tally/index.db");
    }

    private List<QueryIndex.Rows> answers() throws IOException {
        try (QueryIndex index = ledger.index()) {
            return List.of(index.query(DOCUMENTS, 1_000), index.query(TRANSACTIONS, 1_000));
        }
    }

    @Test
    void a_process_that_dies_while_it_indexes_leaves_the_saved_index_as_it_was() throws Exception {
        ledger.index().close();
        for (int i = 0; i < 50; i++) {
            done(ledger, put(StreamId.of("orders", "more-" + i), TxHash.NONE, Integer.toString(i)));
        }
        try (ChildJvm child = ChildJvm.of(Dying.class).start(repository.toString())) {
            assertThat(child.awaitExit()).isEqualTo(Dying.STATUS);
        }
        List<Path> left = copies();
        assertThat(left).hasSize(1);
        Files.setLastModifiedTime(left.getFirst(), java.nio.file.attribute.FileTime.fromMillis(0));
        try (QueryIndex index = ledger.index()) {
            assertThat(index.query(DOCUMENTS, 100).rows()).hasSize(52);
            assertThat(index.query("pragma integrity_check", 1).rows()).containsExactly(List.of(Json.of("ok")));
        }
        assertThat(copies()).isEmpty();
    }

    private List<Path> copies() throws IOException {
        try (var files = Files.list(repository.resolve("tally"))) {
            return files.filter(file -> file.toString().endsWith(".tmp")).toList();
        }
    }

    @Test
    void transactions_since_a_commit_are_reported_in_order() throws IOException {
        CommitId before = ledger.commit();
        TxHash second = done(ledger, put(ORDER, head, "2"));
        done(ledger, put(ORDER, second, "3"));
        List<Changed> changes = new java.util.ArrayList<>();
        assertThat(ledger.changes(before, changes::add)).isEqualTo(ledger.commit());
        assertThat(changes).extracting(changed -> changed.entry().version()).containsExactly(2, 3);
        assertThat(changes).extracting(Changed::stream).containsOnly(ORDER);
    }

    /** Writes half of its copy of the index in one transaction, then halts without ending it. */
    static final class Dying {

        static final int STATUS = 77;

        public static void main(String[] arguments) throws Exception {
            Path local = Path.of(arguments[0]).resolve("tally");
            Path copy = Files.copy(local.resolve("index.db"), local.resolve("index-1.tmp"));
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + copy)) {
                IndexStore store = new IndexStore(connection);
                store.begin();
                store.removeDocument(ORDER);
                store.setIndexed("0".repeat(40));
                Runtime.getRuntime().halt(STATUS);
            }
        }
    }
}
