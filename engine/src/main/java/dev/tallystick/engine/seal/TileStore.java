package dev.tallystick.engine.seal;

import dev.tallystick.log.tree.TilePath;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The copy of the log's tiles and bundles. One method is one statement; the caller owns the transaction. */
final class TileStore {

    /** A tile or bundle. */
    record Tile(TilePath path, byte[] bytes) {}

    private static final String READ = """
            select bytes
            from tally.log_tile
            where level = ?
                and number = ?
                and width >= ?
            """;

    private static final String WRITE = """
            insert into tally.log_tile as t (level, number, width, bytes)
            select level, number, width, bytes
            from unnest(?::int[], ?::bigint[], ?::int[], ?::bytea[]) as i (level, number, width, bytes)
            on conflict (level, number) do update
            set width = excluded.width, bytes = excluded.bytes
            where t.width < excluded.width
            """;

    /** The tile, which may be wider than the path asks for. */
    Optional<byte[]> read(Tx tx, TilePath path) throws SQLException {
        return tx.first(READ, row -> row.getBytes("bytes"), path.level(), path.index(), path.width());
    }

    void write(Tx tx, List<Tile> tiles) throws SQLException {
        Columns<Tile> of = new Columns<>(tiles);
        tx.update(
                WRITE,
                of.ints(tile -> tile.path().level()),
                of.longs(tile -> tile.path().index()),
                of.ints(tile -> tile.path().width()),
                of.bytes(Tile::bytes));
    }
}
