package dev.tallystick.broker;

import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.UUID;

/** The deletes of an erasure. One method is one statement; the caller owns the transaction. */
final class MessageErasureStore {

    // Waits for a follower that may have read the message; the next one does not find it.
    private static final String HOLD_SEARCH = """
            select position
            from tally.follower
            where name = 'search'
            for update
            """;

    private static final String ERASE = """
            with history as (
                delete from tally.history where message_id = any(?) and mesh = ?
            ),
            delivery as (
                delete from tally.delivery where message_id = any(?) and mesh = ?
            ),
            mention as (
                delete from tally.mention where message_id = any(?) and mesh = ?
            ),
            search as (
                delete from tally.search where message_id = any(?) and mesh = ?
            )
            delete from tally.message where id = any(?) and mesh = ?
            """;

    private static final String FORGET_GRANTS = """
            delete from tally.rate_grant
            where key = ? and mesh = ? and member = ?
            """;

    void holdSearch(Tx tx) throws SQLException {
        tx.query(HOLD_SEARCH, row -> row.getLong("position"));
    }

    void erase(Tx tx, String mesh, UUID[] messages) throws SQLException {
        tx.update(ERASE, messages, mesh, messages, mesh, messages, mesh, messages, mesh, messages, mesh);
    }

    /** The limiter keeps keys for the length of a window. */
    void forgetGrants(Tx tx, ScopedKey key) throws SQLException {
        tx.update(
                FORGET_GRANTS,
                key.key().value(),
                key.scope().mesh(),
                key.scope().member());
    }
}
