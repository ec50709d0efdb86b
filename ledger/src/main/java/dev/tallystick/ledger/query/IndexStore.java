package dev.tallystick.ledger.query;

import dev.tallystick.ledger.history.Branch;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/** The tables of the query index. One method is one statement; the caller owns the transaction. Not thread-safe. */
final class IndexStore {

    /** Increment to rebuild indexes of an older format. */
    static final int FORMAT = 2;

    private static final List<String> SCHEMA = List.of(
            """
            create table if not exists document (
                collection text not null,
                doc_id     text not null,
                version    integer not null,
                head       text not null,
                deleted    integer not null,
                updated_at text not null,
                body       text,
                primary key (collection, doc_id)
            ) without rowid
            """,
            """
            create table if not exists tx (
                collection     text not null,
                doc_id         text not null,
                branch         text not null,
                version        integer not null,
                hash           text not null,
                tx_id          text not null,
                op             text not null,
                time           text not null,
                parent_hash    text not null,
                merged_hash    text not null,
                schema_version integer not null,
                conflicts      text,
                primary key (collection, doc_id, branch, version)
            ) without rowid
            """,
            "create index if not exists tx_by_id on tx (tx_id)",
            "create index if not exists tx_by_time on tx (time)",
            """
            create table if not exists damaged (
                path   text primary key,
                reason text not null
            ) without rowid
            """,
            """
            create table if not exists indexed (
                one    integer primary key check (one = 1),
                format integer not null,
                commit_id text not null
            )
            """);

    private static final String PUT_DOCUMENT = """
            insert or replace into document (collection, doc_id, version, head, deleted, updated_at, body)
            values (?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String PUT_TX = """
            insert into tx (collection, doc_id, branch, version, hash, tx_id, op, time, parent_hash, merged_hash,
                            schema_version, conflicts)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private final Connection connection;

    IndexStore(Connection connection) {
        this.connection = connection;
    }

    void createTables() throws SQLException {
        for (String statement : SCHEMA) {
            run(statement);
        }
    }

    void dropTables() throws SQLException {
        run("drop table if exists document");
        run("drop table if exists tx");
        run("drop table if exists damaged");
        run("drop table if exists indexed");
    }

    /** Takes the write lock at once, so that what is read in between still holds when it is written. */
    void begin() throws SQLException {
        run("begin immediate");
    }

    void commit() throws SQLException {
        run("commit");
    }

    void rollback() throws SQLException {
        run("rollback");
    }

    /** The commit that the tables show; empty if there is none, or their format is another. */
    Optional<String> indexed() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select commit_id from indexed where format = " + FORMAT)) {
            return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
        }
    }

    void setIndexed(String commit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "insert or replace into indexed (one, format, commit_id) values (1, " + FORMAT + ", ?)")) {
            statement.setString(1, commit);
            statement.executeUpdate();
        }
    }

    void removeDocument(StreamId id) throws SQLException {
        removeTransactions(id, 0);
        removeBranches(id);
        try (PreparedStatement statement =
                connection.prepareStatement("delete from document where collection = ? and doc_id = ?")) {
            statement.setString(1, id.collection().name());
            statement.setString(2, id.document());
            statement.executeUpdate();
        }
    }

    /** Removes the document's own transactions after a version. */
    void removeTransactions(StreamId id, int after) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "delete from tx where collection = ? and doc_id = ? and branch = '' and version > ?")) {
            statement.setString(1, id.collection().name());
            statement.setString(2, id.document());
            statement.setInt(3, after);
            statement.executeUpdate();
        }
    }

    /** Removes the transactions of histories merged into the document. */
    void removeBranches(StreamId id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("delete from tx where collection = ? and doc_id = ? and branch <> ''")) {
            statement.setString(1, id.collection().name());
            statement.setString(2, id.document());
            statement.executeUpdate();
        }
    }

    void putDamaged(String path, String reason) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("insert or replace into damaged (path, reason) values (?, ?)")) {
            statement.setString(1, path);
            statement.setString(2, reason);
            statement.executeUpdate();
        }
    }

    long transactions() throws SQLException {
        return count("tx");
    }

    long damaged() throws SQLException {
        return count("damaged");
    }

    private long count(String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from " + table)) {
            return rows.getLong(1);
        }
    }

    void putDocument(Document document, String time) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PUT_DOCUMENT)) {
            statement.setString(1, document.stream().collection().name());
            statement.setString(2, document.stream().document());
            statement.setString(4, document.head().hex());
            statement.setString(6, time);
            switch (document) {
                case Document.Present present -> {
                    statement.setInt(3, present.version());
                    statement.setInt(5, 0);
                    statement.setString(7, present.body().canonical());
                }
                case Document.Deleted deleted -> {
                    statement.setInt(3, deleted.version());
                    statement.setInt(5, 1);
                    statement.setString(7, null);
                }
                case Document.Absent absent -> throw new IllegalStateException("nothing is indexed of " + absent);
            }
            statement.executeUpdate();
        }
    }

    /** @param branch empty for the document's own transactions, see {@link Branch} */
    void putTransaction(String branch, LogEntry entry, String time) throws SQLException {
        Tx tx = entry.tx();
        try (PreparedStatement statement = connection.prepareStatement(PUT_TX)) {
            statement.setString(1, tx.stream().collection().name());
            statement.setString(2, tx.stream().document());
            statement.setString(3, branch);
            statement.setInt(4, entry.version());
            statement.setString(5, entry.hash().hex());
            statement.setString(6, tx.txId().toString());
            statement.setString(7, tx.op().name().toLowerCase(java.util.Locale.ROOT));
            statement.setString(8, time);
            statement.setString(9, tx.parent().hex());
            statement.setString(10, tx.merged().hex());
            statement.setInt(11, tx.schemaVersion());
            statement.setString(12, tx.conflicts().isEmpty() ? null : tx.conflicts());
            statement.executeUpdate();
        }
    }

    private void run(String statement) throws SQLException {
        try (Statement each = connection.createStatement()) {
            each.execute(statement);
        }
    }
}
