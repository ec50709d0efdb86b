package dev.tallystick.server.routes;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;

/** The database queries of readiness. */
final class SpaceStore {

    private static final String PING = "select 1";

    // Writing to an existing table may find room in its pages: only new pages show that the disk has space. Postgres
    // compresses
    // repetitive content.
    private static final String TAKE_SPACE = """
            create temporary table tally_space on commit drop as
            select string_agg(md5(i::text || ' ' || j::text), '') as filler
            from generate_series(1, 64) as i, generate_series(1, 200) as j
            group by i
            """;

    void ping(Tx tx) throws SQLException {
        tx.first(PING, row -> row.getInt(1));
    }

    /** Needs about half a megabyte until the transaction ends. */
    void takeSpace(Tx tx) throws SQLException {
        tx.update(TAKE_SPACE);
    }
}
