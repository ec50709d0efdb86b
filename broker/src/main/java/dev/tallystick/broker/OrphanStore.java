package dev.tallystick.broker;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Finds orphaned rows. One method is one statement, and so sees one snapshot: what commits together is seen together.
 */
final class OrphanStore {

    private static final String KEY_WITHOUT_MESSAGE = """
            select k.original_id::text as id
            from tally.key k
            where k.door = 'accept' and k.history_available
                and not exists (select from tally.message m where m.id = k.original_id)
            """;

    private static final String KEY_WITHOUT_HISTORY = """
            select k.original_id::text as id
            from tally.key k
            where k.door = 'accept' and k.history_available
                and not exists (select from tally.history h where h.id = k.history_id and h.message_id = k.original_id)
            """;

    private static final String MESSAGE_WITHOUT_KEY = """
            select m.id::text as id
            from tally.message m
            where m.key is not null and m.accepted_at > now() - ? * interval '1 millisecond'
                and not exists (
                    select
                    from tally.key k
                    where k.key = m.key and k.mesh = m.mesh and k.member = coalesce(m.sender_id, m.sender) and k.door = 'accept'
                        and k.original_id = m.id)
            """;

    private static final String MESSAGE_WITHOUT_HISTORY = """
            select m.id::text as id
            from tally.message m
            where not exists (select from tally.history h where h.message_id = m.id)
            """;

    private static final String MESSAGE_WITHOUT_DELIVERY = """
            select m.id::text as id
            from tally.message m
            where (m.destination like 'member:%' or m.destination like 'queue:%')
                and not exists (
                    select
                    from tally.delivery d
                    where d.message_id = m.id and (d.inbox = m.destination or starts_with(d.inbox, m.destination || '#')))
            """;

    private static final String MESSAGE_WITHOUT_MENTION = """
            select distinct m.id::text as id
            from tally.message m, unnest(string_to_array(nullif(m.mentions, ''), ',')) as n (member)
            where not exists (
                select
                from tally.mention x
                where x.mesh = m.mesh and x.message_id = m.id
                    and (x.member = n.member or starts_with(x.member, n.member || '#')))
            """;

    private static final String HISTORY_WITHOUT_MESSAGE = """
            select h.id::text as id
            from tally.history h
            where not exists (select from tally.message m where m.id = h.message_id)
            """;

    private static final String DELIVERY_WITHOUT_MESSAGE = """
            select d.message_id::text as id
            from tally.delivery d
            where not exists (select from tally.message m where m.id = d.message_id)
            """;

    private static final String MENTION_WITHOUT_MESSAGE = """
            select n.message_id::text as id
            from tally.mention n
            where not exists (select from tally.message m where m.id = n.message_id)
            """;

    /** @param remembered the retention of keys */
    List<String> find(Tx tx, OrphanReport.Kind kind, Duration remembered) throws SQLException {
        Object[] parameters =
                kind == OrphanReport.Kind.MESSAGE_WITHOUT_KEY ? new Object[] {remembered.toMillis()} : new Object[0];
        String sql = switch (kind) {
            case KEY_WITHOUT_MESSAGE -> KEY_WITHOUT_MESSAGE;
            case KEY_WITHOUT_HISTORY -> KEY_WITHOUT_HISTORY;
            case MESSAGE_WITHOUT_KEY -> MESSAGE_WITHOUT_KEY;
            case MESSAGE_WITHOUT_HISTORY -> MESSAGE_WITHOUT_HISTORY;
            case MESSAGE_WITHOUT_DELIVERY -> MESSAGE_WITHOUT_DELIVERY;
            case MESSAGE_WITHOUT_MENTION -> MESSAGE_WITHOUT_MENTION;
            case HISTORY_WITHOUT_MESSAGE -> HISTORY_WITHOUT_MESSAGE;
            case DELIVERY_WITHOUT_MESSAGE -> DELIVERY_WITHOUT_MESSAGE;
            case MENTION_WITHOUT_MESSAGE -> MENTION_WITHOUT_MESSAGE;
        };
        return tx.query(sql, row -> row.getString("id"), parameters);
    }
}
