package dev.tallystick.broker;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Messages past their retention. One method is one statement; the caller owns the transaction. */
final class RetentionStore {

    /** @param key null for the system's own announcements */
    record Old(UUID message, @Nullable ScopedKey key) {}

    // Keeps messages with open deliveries, however old.
    private static final String LOCK_OLD = """
            select h.message_id, m.mesh, coalesce(m.sender_id, m.sender) as sender, m.key
            from tally.history h
            join tally.message m on m.id = h.message_id
            where h.accepted_at < now() - ? * interval '1 millisecond' and h.position is not null
                and not exists (
                    select
                    from tally.delivery d
                    where d.message_id = h.message_id and d.done_at is null and d.dead_at is null)
            order by h.accepted_at
            limit ?
            for update of h skip locked
            """;

    private static final String FORGET = """
            with history as (
                delete from tally.history where message_id = any(?)
            ),
            delivery as (
                delete from tally.delivery where message_id = any(?)
            ),
            mention as (
                delete from tally.mention where message_id = any(?)
            ),
            search as (
                delete from tally.search where message_id = any(?)
            )
            delete from tally.message where id = any(?)
            """;

    List<Old> lockOld(Tx tx, Duration kept, int limit) throws SQLException {
        return tx.query(
                LOCK_OLD,
                row -> {
                    String key = row.getString("key");
                    return new Old(
                            row.getObject("message_id", UUID.class),
                            key == null
                                    ? null
                                    : new ScopedKey(
                                            new Scope(row.getString("mesh"), row.getString("sender")),
                                            new IdempotencyKey(key)));
                },
                kept.toMillis(),
                limit);
    }

    void forget(Tx tx, List<Old> old) throws SQLException {
        UUID[] ids = new Columns<>(old).uuids(Old::message);
        tx.update(FORGET, ids, ids, ids, ids, ids);
    }
}
