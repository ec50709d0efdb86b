package dev.tallystick.broker;

import dev.tallystick.broker.model.Announcement;
import dev.tallystick.core.Priority;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;

/** The writes for an announcement. One method is one statement; the caller owns the transaction. */
final class AnnouncementStore {

    /** The sender of the system's own messages; no member can have this name. */
    static final String SENDER = "$tally";

    // Writes nothing for a workflow without subscribers. An announcement that exists is complete, with everything that
    // belongs to it.
    private static final String ANNOUNCE = """
            with item as (
                select i.id, i.mesh, 'workflow:' || i.workflow as source, i.body
                from unnest(?::uuid[], ?::text[], ?::text[], ?::bytea[]) as i (id, mesh, workflow, body)
            ),
            written as (
                insert into tally.message
                    (id, mesh, sender, destination, priority, meta, mentions, body_kind, body)
                select i.id, i.mesh, ?, i.source, ?, '', '', 'json', i.body
                from item i
                where exists (select from tally.subscription s where s.mesh = i.mesh and s.source = i.source)
                on conflict (id) do nothing
                returning id, mesh, destination, priority
            ),
            remembered as (
                insert into tally.history (id, message_id, mesh, destination)
                select id, id, mesh, destination
                from written
            )
            insert into tally.delivery (message_id, inbox, mesh, priority)
            select w.id, s.inbox, w.mesh, w.priority
            from written w
            join tally.subscription s on s.mesh = w.mesh and s.source = w.destination
            """;

    int announce(Tx tx, List<Announcement> announcements) throws SQLException {
        Columns<Announcement> of = new Columns<>(announcements);
        return tx.update(
                ANNOUNCE,
                of.uuids(Announcement::id),
                of.texts(Announcement::mesh),
                of.texts(Announcement::workflow),
                of.bytes(announcement -> announcement.body().canonicalBytes()),
                SENDER,
                Priority.DEFAULT.turn());
    }
}
