package dev.tallystick.server;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;

/** What readiness asks of the database. */
final class SpaceStore {

    private static final String PING = "select 1";

    // What is written to a table that is there may find room in its pages: only new pages show that the disk has room.
    // Postgres
    // compresses what repeats itself.
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
