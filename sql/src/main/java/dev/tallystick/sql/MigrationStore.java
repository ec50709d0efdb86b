package dev.tallystick.sql;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** The migration table: the applied steps of each module in this database. */
final class MigrationStore {

    private static final String CREATE_TABLE = """
            create table if not exists tally.migration (
                module     text        not null,
                number     int         not null check (number > 0),
                name       text        not null,
                digest     text        not null,
                needs_code int         not null default 0,
                applied_at timestamptz not null default now(),
                primary key (module, number)
            )
            """;

    private static final String RECORD = """
            insert into tally.migration (module, number, name, digest, needs_code)
            values (?, ?, ?, ?, ?)
            """;

    private static final String EXISTS = """
            select exists (
                select
                from pg_class c
                join pg_namespace n on n.oid = c.relnamespace
                where n.nspname = ? and c.relname = 'migration'
            ) as there
            """;

    private static final String DIGESTS = """
            select number, digest
            from tally.migration
            where module = ?
            """;

    private static final String NEEDED_CODE = """
            select coalesce(max(needs_code), 0) as needed
            from tally.migration
            where module = ?
            """;

    /** "if not exists" is not safe under concurrency, so only one instance at a time does this. */
    boolean prepare(Tx tx, SchemaName schema) throws SQLException {
        lock(tx);
        tx.update(createSchema(schema));
        tx.update(CREATE_TABLE);
        return true;
    }

    void lock(Tx tx) throws SQLException {
        tx.query(Dialect.LOCK_MIGRATIONS, row -> true);
    }

    /** Ask the catalogue, which every role may read, to distinguish a missing table from a forbidden one. */
    boolean exists(Tx tx, SchemaName schema) throws SQLException {
        return tx.first(EXISTS, row -> row.getBoolean("there"), schema.value()).orElse(false);
    }

    void record(Tx tx, String module, Migration step) throws SQLException {
        tx.update(RECORD, module, step.number(), step.name(), step.digest(), step.needsCode());
    }

    Map<Integer, String> digests(Tx tx, String module) throws SQLException {
        Map<Integer, String> digests = new HashMap<>();
        tx.query(DIGESTS, row -> digests.put(row.getInt("number"), row.getString("digest")), module);
        return digests;
    }

    int neededCode(Tx tx, String module) throws SQLException {
        return tx.first(NEEDED_CODE, row -> row.getInt("needed"), module).orElse(0);
    }

    /** The SQL of {@link #prepare}, to run by hand. */
    static String script(SchemaName schema) {
        return createSchema(schema) + ";\n\n" + CREATE_TABLE.strip() + ";\n";
    }

    /** The SQL of {@link #record}, to run by hand. */
    static String script(String module, Migration step) {
        return """
                insert into tally.migration (module, number, name, digest, needs_code)
                values ('%s', %d, '%s', '%s', %d);
                """.formatted(module, step.number(), step.name(), step.digest(), step.needsCode());
    }

    private static String createSchema(SchemaName schema) {
        return "create schema if not exists " + schema.quoted();
    }
}
