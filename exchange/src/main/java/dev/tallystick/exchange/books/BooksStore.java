package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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

    private static String nodesOf(String leaves) {
        return """
            select day, encode(substring(place from 1 for 2), 'hex') as node,
                sha256(string_agg(place || hash, ''::bytea order by place)) as hash
            from (
                %s
            ) leaf
            group by 1, 2
            """.formatted(leaves);
    }

    private static String entriesOf(String leaves) {
        return """
            select id, processing, hash
            from (
                %s
                and inception_datum >= ?::date::timestamp at time zone 'UTC'
                and inception_datum < (?::date + 1)::timestamp at time zone 'UTC'
            ) leaf
            where substring(place from 1 for 2) = any (?)
            order by id
            """.formatted(leaves);
    }

    /** The tables that hold the postings of a side. */
    enum Table {
        POSTED("exchange_posting"),
        RECEIVED("exchange_received");

        private final String nodes;
        private final String entries;

        Table(String table) {
            nodes = nodesOf(leaves(table));
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

    // Sorting a million postings takes less than this, and much longer on disk.
    private static final String SORT_IN_MEMORY = "select set_config('work_mem', '256MB', true)";

    void sortInMemory(Tx tx) throws SQLException {
        tx.query(SORT_IN_MEMORY, row -> true);
    }

    /** The nodes of the second level, by period and by their two bytes. */
    Map<Period, Map<String, byte[]>> nodes(Tx tx) throws SQLException {
        Map<Period, Map<String, byte[]>> nodes = new TreeMap<>();
        tx.query(
                table.nodes,
                row -> nodes.computeIfAbsent(new Period(row.getDate("day").toLocalDate()), first -> new TreeMap<>())
                        .put(row.getString("node"), row.getBytes("hash")),
                producer.name(),
                consumer.name());
        return nodes;
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
