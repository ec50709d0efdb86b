package dev.tallystick.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * Copies whole tables out of our schema and back, in the text form of Postgres's COPY. Names come from the catalogue. One method
 * is one statement; the caller owns the transaction.
 */
public final class CopyStore {

    /** A table, and the columns whose values have to be kept. */
    public record Table(String name, List<String> columns) {

        public Table {
            columns = List.copyOf(columns);
        }

        private String list() {
            return columns.stream().map(CopyStore::quoted).collect(Collectors.joining(", "));
        }
    }

    /** A sequence, and the last number that it gave. */
    public record Sequence(String name, long last) {}

    private static final String MIGRATION = "migration";

    // Unlogged tables are empty after a crash, so nothing relies on them.
    private static final String TABLES = """
            select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
            from pg_class c
            join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
            where c.relnamespace = (select relnamespace from pg_class where oid = 'tally.migration'::regclass)
                and c.relkind = 'r'
                and c.relpersistence = 'p'
            group by c.relname
            order by c.relname
            """;

    private static final String REFERENCES = """
            select r.relname as referring, t.relname as referred
            from pg_constraint k
            join pg_class r on r.oid = k.conrelid
            join pg_class t on t.oid = k.confrelid
            where k.contype = 'f'
                and r.relnamespace = (select relnamespace from pg_class where oid = 'tally.migration'::regclass)
            """;

    private static final String SEQUENCES = """
            select c.relname as name, coalesce(s.last_value, 0) as last
            from pg_class c
            join pg_namespace n on n.oid = c.relnamespace
            join pg_sequences s on s.schemaname = n.nspname and s.sequencename = c.relname
            where n.oid = (select relnamespace from pg_class where oid = 'tally.migration'::regclass)
            order by c.relname
            """;

    private static final String MIGRATIONS = """
            select module || ' ' || number || ' ' || digest as step
            from tally.migration
            order by module, number
            """;

    /** The tables with data, each after those that it refers to; without the one of migrations. */
    public List<Table> tables(Tx tx) throws SQLException {
        Map<String, Table> unordered = new LinkedHashMap<>();
        tx.query(
                        TABLES,
                        row -> new Table(row.getString("name"), Arrays.asList((String[])
                                row.getArray("columns").getArray())))
                .forEach(table -> unordered.put(table.name(), table));
        unordered.remove(MIGRATION);
        record Reference(String referring, String referred) {}
        List<Reference> references =
                tx.query(REFERENCES, row -> new Reference(row.getString("referring"), row.getString("referred")));
        List<Table> ordered = new ArrayList<>();
        while (!unordered.isEmpty()) {
            Set<String> waiting = new HashSet<>();
            references.stream()
                    .filter(each -> !each.referring.equals(each.referred) && unordered.containsKey(each.referred))
                    .forEach(each -> waiting.add(each.referring));
            List<Table> next = unordered.values().stream()
                    .filter(table -> !waiting.contains(table.name()))
                    .toList();
            if (next.isEmpty()) {
                throw new IllegalStateException("tables refer to each other: " + unordered.keySet());
            }
            ordered.addAll(next);
            next.forEach(table -> unordered.remove(table.name()));
        }
        return ordered;
    }

    /** The sequences as they are now, which no snapshot holds back. */
    public List<Sequence> sequences(Tx tx) throws SQLException {
        return tx.query(SEQUENCES, row -> new Sequence(row.getString("name"), row.getLong("last")));
    }

    /** Which steps of the schema were applied, with the digests of their texts. */
    public List<String> migrations(Tx tx) throws SQLException {
        return tx.query(MIGRATIONS, row -> row.getString("step"));
    }

    /** Writes all rows of a table, and returns their number. */
    public long copyOut(Tx tx, Table table, OutputStream to) throws SQLException, IOException {
        String rows = "copy (select " + table.list() + " from tally." + quoted(table.name()) + ") to stdout";
        return copies(tx).copyOut(text(tx, rows), to);
    }

    /** Inserts rows that {@link #copyOut} wrote, and returns their number. */
    public long copyIn(Tx tx, Table table, InputStream from) throws SQLException, IOException {
        String into = "copy tally." + quoted(table.name()) + " (" + table.list() + ") from stdin";
        return copies(tx).copyIn(text(tx, into), from);
    }

    public boolean isEmpty(Tx tx, Table table) throws SQLException {
        String question = "select not exists (select from tally." + quoted(table.name()) + ") as yes";
        return tx.first(text(tx, question), row -> row.getBoolean("yes")).orElseThrow();
    }

    /** Deletes all rows of all tables. */
    public void clear(Tx tx, List<Table> tables) throws SQLException {
        tx.update(text(
                tx,
                "truncate "
                        + tables.stream()
                                .map(table -> "tally." + quoted(table.name()))
                                .collect(Collectors.joining(", "))));
    }

    /** Lets a sequence continue after a number. */
    public void advance(Tx tx, Sequence sequence) throws SQLException {
        String call = "select setval('tally." + quoted(sequence.name()) + "', ?, ?)";
        tx.query(text(tx, call), row -> true, Math.max(1, sequence.last()), sequence.last() > 0);
    }

    private static CopyManager copies(Tx tx) throws SQLException {
        return tx.connection().unwrap(PGConnection.class).getCopyAPI();
    }

    /** Statements are rewritten for another schema where a name follows the qualifier, and quoted names do not look like one. */
    private static String text(Tx tx, String sql) {
        String example = tx.text("tally.x");
        return sql.replace("tally.", example.substring(0, example.length() - 1));
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
