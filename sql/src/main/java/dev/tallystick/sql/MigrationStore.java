package dev.tallystick.sql;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** The migration table: which steps of which module this database has. */
final class MigrationStore {

    private static final String CREATE_SCHEMA = "create schema if not exists tally";

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

    /** "if not exists" is not safe against itself, so this too is done by one instance at a time. */
    boolean prepare(Tx tx) throws SQLException {
        lock(tx);
        tx.update(CREATE_SCHEMA);
        tx.update(CREATE_TABLE);
        return true;
    }

    void lock(Tx tx) throws SQLException {
        tx.query(Dialect.LOCK_MIGRATIONS, row -> true);
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
}
