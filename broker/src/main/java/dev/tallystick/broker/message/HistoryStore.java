package dev.tallystick.broker.message;

import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.Message;
import dev.tallystick.broker.model.MessageColumns;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Role;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.IntConsumer;

/** The history table and its positions. One method is one statement; the caller owns the transaction. */
final class HistoryStore {

    private static final String ALL = """
            select h.position, h.id as history_id, %s
            from tally.history h
            join tally.message m on m.id = h.message_id
            where h.position > ?
            order by h.position
            limit ?
            """.formatted(MessageColumns.SELECTED);

    private static final String OF_MESH = """
            select h.mesh_position as position, h.id as history_id, %s
            from tally.history h
            join tally.message m on m.id = h.message_id
            where h.mesh = ? and h.mesh_position > ?
            order by h.mesh_position
            limit ?
            """.formatted(MessageColumns.SELECTED);

    private static final String OF_DESTINATION = """
            select h.mesh_position as position, h.id as history_id, %s
            from tally.history h
            join tally.message m on m.id = h.message_id
            where h.mesh = ? and h.mesh_position > ?
                and h.destination = coalesce((select 'member:' || b.id from tally.member b where b.mesh = ? and b.name = ?), ?)
            order by h.mesh_position
            limit ?
            """.formatted(MessageColumns.SELECTED);

    private static final String MENTIONS = """
            select h.mesh_position as position, h.id as history_id, %s
            from tally.mention n
            join tally.message m on m.id = n.message_id
            join tally.history h on h.message_id = n.message_id
            where n.mesh = ? and n.member = ? and h.mesh_position > ?
            order by h.mesh_position
            limit ?
            """.formatted(MessageColumns.SELECTED);

    private static final String MESSAGE_FOR = """
            select %s
            from tally.message m
            where m.mesh = ? and m.id = ?
                and (? or coalesce(m.sender_id, m.sender) = ? or not starts_with(m.destination, 'member:')
                    or exists (select from tally.history h where h.message_id = m.id and h.destination = ?)
                    or exists (select from tally.mention n where n.mesh = m.mesh and n.member = ? and n.message_id = m.id))
            """.formatted(MessageColumns.SELECTED);

    private static final String MESSAGE = """
            select %s
            from tally.message m
            where m.mesh = ? and m.id = ?
            """.formatted(MessageColumns.SELECTED);

    private static final String KEYS = """
            select m.id, m.key
            from tally.message m
            where m.id = any(?) and m.mesh = ? and m.key is not null
            """;

    // A separate statement, so that the next one sees everything that the previous sequencer committed.
    private static final String LOCK_END = """
            select position
            from tally.sequencer
            where name = 'history'
            for update;
            """;

    private static final String NUMBER = """
            with unsequenced as (
                select id, mesh, row_number() over (order by ordinal) as place,
                    row_number() over (partition by mesh order by ordinal) as mesh_place, count(*) over (partition by mesh) as mesh_count
                from (
                    select id, mesh, ordinal
                    from tally.history
                    where position is null
                    order by ordinal
                    limit ?
                ) as oldest
            ),
            ends as (
                insert into tally.history_end as e (mesh, position)
                select mesh, count(*)
                from unsequenced
                group by mesh
                on conflict (mesh) do update
                set position = e.position + excluded.position
                returning mesh, position
            ),
            numbered as (
                update tally.history h
                set position = (select s.position from tally.sequencer s where s.name = 'history') + u.place,
                    mesh_position = e.position - u.mesh_count + u.mesh_place
                from unsequenced u
                join ends e on e.mesh = u.mesh
                where h.id = u.id
                returning h.id
            ),
            counted as (
                select count(*) as number
                from numbered
            )
            update tally.sequencer s
            set position = s.position + c.number
            from counted c
            where s.name = 'history' and c.number > 0
            returning c.number
            """;

    List<History.Entry> all(Tx tx, long after, int limit) throws SQLException {
        return tx.query(ALL, HistoryStore::entry, after, limit);
    }

    List<History.Entry> ofMesh(Tx tx, String mesh, long after, int limit) throws SQLException {
        return tx.query(OF_MESH, HistoryStore::entry, mesh, after, limit);
    }

    List<History.Entry> of(Tx tx, String mesh, Destination destination, long after, int limit) throws SQLException {
        String member = destination.kind() == Destination.Kind.MEMBER ? destination.reference() : null;
        return tx.query(OF_DESTINATION, HistoryStore::entry, mesh, after, mesh, member, destination.toString(), limit);
    }

    List<History.Entry> mentions(Tx tx, String mesh, String member, long after, int limit) throws SQLException {
        return tx.query(MENTIONS, HistoryStore::entry, mesh, member, after, limit);
    }

    Optional<Message> messageFor(Tx tx, Member reader, UUID id) throws SQLException {
        return tx.first(
                MESSAGE_FOR,
                MessageColumns::read,
                reader.mesh(),
                id,
                reader.may(Role.OBSERVER),
                reader.id(),
                Inbox.of(reader).toString(),
                reader.id());
    }

    Optional<Message> message(Tx tx, String mesh, UUID id) throws SQLException {
        return tx.first(MESSAGE, MessageColumns::read, mesh, id);
    }

    /**
     * Assigns positions to unnumbered entries, as the last step of the transaction. All sequencers wait for this lock, so it is
     * held only while the statements run, and never across a round trip.
     *
     * @param numbered receives the number of entries, if there were any
     */
    void number(Tx tx, int limit, IntConsumer numbered) throws SQLException {
        tx.queryLater(
                LOCK_END + NUMBER,
                row -> {
                    numbered.accept(row.getInt("number"));
                    return true;
                },
                limit);
    }

    static History.Entry entry(ResultSet row) throws SQLException {
        return new History.Entry(
                row.getLong("position"), row.getObject("history_id", UUID.class), MessageColumns.read(row));
    }

    /** The keys that messages were submitted under, as far as the messages are still there. */
    Map<UUID, String> keys(Tx tx, String mesh, Collection<UUID> messages) throws SQLException {
        Map<UUID, String> keys = new HashMap<>();
        tx.query(
                        KEYS,
                        row -> Map.entry(row.getObject("id", UUID.class), row.getString("key")),
                        messages.toArray(UUID[]::new),
                        mesh)
                .forEach(entry -> keys.put(entry.getKey(), entry.getValue()));
        return keys;
    }
}
