package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.delete;
import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.patch;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.core.Json;
import dev.tallystick.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    void a_file_that_is_no_index_any_more_is_built_anew() throws IOException {
        ledger.index().close();
        Files.writeString(
                repository.resolve("tally/index.db"), "this is no database, but long enough to be read as one");
        try (QueryIndex index = ledger.index()) {
            assertThat(index.query(DOCUMENTS, 10).rows()).hasSize(2);
        }
    }

    @Test
    void a_process_that_dies_while_it_indexes_leaves_the_index_as_it_was() throws Exception {
        ledger.index().close();
        for (int i = 0; i < 50; i++) {
            done(ledger, put(StreamId.of("orders", "more-" + i), TxHash.NONE, Integer.toString(i)));
        }
        try (ChildJvm child = ChildJvm.of(Dying.class).start(repository.toString())) {
            assertThat(child.awaitExit()).isEqualTo(Dying.STATUS);
        }
        try (QueryIndex index = ledger.index()) {
            assertThat(index.query(DOCUMENTS, 100).rows()).hasSize(52);
            assertThat(index.query("pragma integrity_check", 1).rows()).containsExactly(List.of(Json.of("ok")));
        }
    }

    @Test
    void what_came_since_a_commit_is_told_in_order() throws IOException {
        CommitId before = ledger.commit();
        TxHash second = done(ledger, put(ORDER, head, "2"));
        done(ledger, put(ORDER, second, "3"));
        List<Changed> changes = new java.util.ArrayList<>();
        assertThat(ledger.changes(before, changes::add)).isEqualTo(ledger.commit());
        assertThat(changes).extracting(changed -> changed.entry().version()).containsExactly(2, 3);
        assertThat(changes).extracting(Changed::stream).containsOnly(ORDER);
    }

    /** Writes half of the index in one transaction, then halts without ending it. */
    static final class Dying {

        static final int STATUS = 77;

        public static void main(String[] arguments) throws Exception {
            Path repository = Path.of(arguments[0]);
            try (var connection =
                    java.sql.DriverManager.getConnection("jdbc:sqlite:" + repository.resolve("tally/index.db"))) {
                IndexStore store = new IndexStore(connection);
                store.begin();
                store.removeDocument(ORDER);
                store.setIndexed("0".repeat(40));
                Runtime.getRuntime().halt(STATUS);
            }
        }
    }
}
