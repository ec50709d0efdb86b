package dev.tallystick.broker.member;

import dev.tallystick.core.Destination;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;

/** Counts objects up to their quota. One method is one statement; the caller owns the transaction. */
final class StockStore {

    private static final String ROOM_FOR_DESTINATION = """
            select exists (select from tally.destination where mesh = ? and kind = ? and name = ?)
                or (select count(*) from (select from tally.destination where mesh = ? and kind = ? limit ?) as d) < ?
            """;

    private static final String ROOM_FOR_MEMBER = """
            select exists (select from tally.member where mesh = ? and name = ?)
                or (select count(*) from (select from tally.member where mesh = ? limit ?) as m) < ?
            """;

    private static final String ROOM_FOR_TOKEN = """
            select count(*) < ?
            from (
                select
                from tally.token
                where mesh = ?
                    and member = ?
                    and revoked_at is null
                    and (expires_at is null or expires_at > now())
                limit ?
            ) as t
            """;

    boolean hasRoomFor(Tx tx, String mesh, Destination destination, int most) throws SQLException {
        String kind = destination.kind().word();
        return tx.first(
                        ROOM_FOR_DESTINATION,
                        row -> row.getBoolean(1),
                        mesh,
                        kind,
                        destination.reference(),
                        mesh,
                        kind,
                        most,
                        most)
                .orElseThrow();
    }

    boolean hasRoomForMember(Tx tx, String mesh, String name, int most) throws SQLException {
        return tx.first(ROOM_FOR_MEMBER, row -> row.getBoolean(1), mesh, name, mesh, most, most)
                .orElseThrow();
    }

    boolean hasRoomForToken(Tx tx, String mesh, String member, int most) throws SQLException {
        return tx.first(ROOM_FOR_TOKEN, row -> row.getBoolean(1), most, mesh, member, most)
                .orElseThrow();
    }
}
