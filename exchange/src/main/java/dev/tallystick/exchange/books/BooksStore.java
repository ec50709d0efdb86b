package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hashes postings for comparison. One method is one statement; the caller owns the transaction. */
final class BooksStore {

    // The same for both tables: where a posting is in the tree, and the hash of its content and outcome.
    private static String leaves(String table) {
        return """
            select id, processing, sha256(convert_to(id, 'UTF8')) as place,
                sha256(fingerprint || convert_to(processing, 'UTF8') || coalesce(outcome_digest, '')) as hash,
                (inception_datum at time zone 'UTC')::date as day
            from tally.%s
            where producer = ? and consumer = ?
            """.formatted(table);
    }

    // A cursor, because a year's postings do not fit into memory at once.
    private static String declare(String table) {
        return """
            declare exchange_books no scroll cursor for
            select id, fingerprint, processing, outcome_digest,
                (inception_datum at time zone 'UTC')::date - date '1970-01-01' as day
            from tally.%s
            where producer = ? and consumer = ?
            """.formatted(table);
    }

    // Half-open, so that an index on the time can find them.
    private static final String OF_DAY = """
            and inception_datum >= ?::date::timestamp at time zone 'UTC'
            and inception_datum < (?::date + 1)::timestamp at time zone 'UTC'
            """;

    static final int FETCHED = 20_000;
    private static final String FETCH = "fetch " + FETCHED + " from exchange_books";

    private static String entriesOf(String leaves) {
        return """
            select id, processing, hash
            from (
                %s
                %s
            ) leaf
            where substring(place from 1 for 2) = any (?)
            order by id
            """.formatted(leaves, OF_DAY);
    }

    /** The tables that hold the postings of a side. */
    enum Table {
        POSTED("exchange_posting"),
        RECEIVED("exchange_received");

        private final String cursor;
        private final String cursorOfDay;
        private final String entries;

        Table(String table) {
            cursor = declare(table);
            cursorOfDay = cursor + OF_DAY;
            entries = entriesOf(leaves(table));
        }
    }

    private final Table table;
    private final Participant producer;
    private final Participant consumer;

    BooksStore(Table table, Participant producer, Participant consumer) {
        this.table = table;
        this.producer = producer;
        this.consumer = consumer;
    }

    /**
     * Opens the cursor that {@link #next} reads.
     *
     * @param period null for all
     */
    void open(Tx tx, @Nullable Period period) throws SQLException {
        if (period == null) {
            tx.update(table.cursor, producer.name(), consumer.name());
        } else {
            tx.update(table.cursorOfDay, producer.name(), consumer.name(), period.toString(), period.toString());
        }
    }

    /** The next postings; fewer than {@link #FETCHED} if they are the last. */
    List<NodeSums.Leaf> next(Tx tx) throws SQLException {
        return tx.query(
                FETCH,
                row -> new NodeSums.Leaf(
                        row.getInt("day"),
                        row.getString("id"),
                        row.getBytes("fingerprint"),
                        row.getString("processing"),
                        row.getBytes("outcome_digest")));
    }

    List<Books.Entry> entries(Tx tx, Period period, Set<String> nodes) throws SQLException {
        return tx.query(
                table.entries,
                row -> new Books.Entry(
                        row.getString("id"),
                        row.getString("processing"),
                        HexFormat.of().formatHex(row.getBytes("hash"))),
                producer.name(),
                consumer.name(),
                period.toString(),
                period.toString(),
                new Columns<>(List.copyOf(nodes)).bytes(node -> HexFormat.of().parseHex(node)));
    }
}
