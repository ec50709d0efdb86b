package dev.tallystick.broker.accept;

import dev.tallystick.broker.model.MessageColumns;
import dev.tallystick.core.Envelope;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Writes what accompanies the key of an accepted message. One method is one statement; the caller owns the transaction. */
final class AcceptStore {

    private static final String MISSING = """
            select i.id
            from unnest(?::uuid[], ?::text[], ?::text[], ?::text[]) as i (id, mesh, kind, reference)
            where case i.kind
                when 'member' then not exists (
                    select from tally.member m where m.mesh = i.mesh and m.name = i.reference)
                else not exists (
                    select from tally.destination d
                    where d.mesh = i.mesh and d.kind = i.kind and d.name = i.reference)
            end
            """;

    private static final String UNKNOWN_MENTIONS = """
            select i.message_id, min(i.member) as member
            from unnest(?::text[], ?::text[], ?::uuid[]) as i (mesh, member, message_id)
            where not exists (select from tally.member m where m.mesh = i.mesh and m.name = i.member)
            group by i.message_id
            """;

    // A member that was removed a moment ago is the last of its name. Four tables, each written once. A message that a
    // subscriber's inbox would get twice is one row all the same.
    private static final String WRITE = """
            with item as (
                select i.*,
                    case when i.kind = 'member'
                        then coalesce(
                            (select m.id from tally.member m where m.mesh = i.mesh and m.name = i.reference), i.reference)
                        else i.reference
                    end as recipient
                from unnest(
                    ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[],
                    ?::text[], ?::text[], ?::text[], ?::bytea[], ?::text[]
                ) as i (
                    id, history_id, mesh, sender, sender_id, key, kind, reference, reply_to, priority,
                    meta, mentions, body_kind, body, traceparent
                )
            ),
            written as (
                insert into tally.message
                    (id, mesh, sender, sender_id, key, destination, reply_to, priority, meta, mentions, body_kind, body,
                    traceparent)
                select id, mesh, sender, nullif(sender_id, sender), key, kind || ':' || reference, reply_to, priority, meta,
                    mentions, body_kind, body, traceparent
                from item
            ),
            remembered as (
                insert into tally.history (id, message_id, mesh, destination)
                select history_id, id, mesh, kind || ':' || recipient
                from item
            ),
            mentioned as (
                insert into tally.mention (mesh, member, message_id)
                select i.mesh,
                    coalesce((select m.id from tally.member m where m.mesh = i.mesh and m.name = i.member), i.member),
                    i.message_id
                from unnest(?::text[], ?::text[], ?::uuid[]) as i (mesh, member, message_id)
            )
            insert into tally.delivery (message_id, inbox, mesh, priority)
            select id, kind || ':' || recipient, mesh, priority
            from item
            where kind in ('member', 'queue')
            union
            select i.id, s.inbox, i.mesh, i.priority
            from item i
            join tally.subscription s on s.mesh = i.mesh and s.source = i.kind || ':' || i.reference
            where i.kind in ('topic', 'member')
            """;

    private record Mention(String mesh, String member, UUID message) {}

    /** The IDs of submissions whose destination, other than a workflow, does not exist. */
    Set<UUID> missing(Tx tx, List<AcceptItem> items) throws SQLException {
        Columns<AcceptItem> of = new Columns<>(items);
        return new HashSet<>(tx.query(
                MISSING,
                row -> row.getObject("id", UUID.class),
                of.uuids(AcceptItem::id),
                of.texts(item -> item.member().mesh()),
                of.texts(item -> item.envelope().to().kind().word()),
                of.texts(item -> item.envelope().to().reference())));
    }

    /** For each message with a mention that is not a member, one such name. Sends no query if there are no mentions. */
    Map<UUID, String> unknownMentions(Tx tx, List<AcceptItem> items) throws SQLException {
        List<Mention> mentions = mentionsIn(items);
        Map<UUID, String> unknown = new HashMap<>();
        if (!mentions.isEmpty()) {
            Columns<Mention> of = new Columns<>(mentions);
            tx.query(
                            UNKNOWN_MENTIONS,
                            row -> new Mention("", row.getString("member"), row.getObject("message_id", UUID.class)),
                            of.texts(Mention::mesh),
                            of.texts(Mention::member),
                            of.uuids(Mention::message))
                    .forEach(each -> unknown.put(each.message(), each.member()));
        }
        return unknown;
    }

    /** Writes messages, history, deliveries and mentions, and returns the number of deliveries. */
    int write(Tx tx, List<AcceptItem> items) throws SQLException {
        Columns<AcceptItem> of = new Columns<>(items);
        Columns<Mention> mentions = new Columns<>(mentionsIn(items));
        return tx.update(
                WRITE,
                of.uuids(AcceptItem::id),
                of.uuids(AcceptItem::history),
                of.texts(item -> item.member().mesh()),
                of.texts(item -> item.member().name()),
                of.texts(item -> item.member().id()),
                of.texts(item -> item.submission().key().value()),
                of.texts(item -> item.envelope().to().kind().word()),
                of.texts(item -> item.envelope().to().reference()),
                of.texts(item -> item.envelope().replyTo()),
                of.ints(item -> item.envelope().priority().turn()),
                of.texts(item -> MessageColumns.meta(item.envelope())),
                of.texts(item -> MessageColumns.mentions(item.envelope())),
                of.texts(item -> MessageColumns.bodyKind(item.envelope())),
                of.bytes(item -> item.envelope().body().bytes()),
                of.texts(item -> item.submission().traceParent()),
                mentions.texts(Mention::mesh),
                mentions.texts(Mention::member),
                mentions.uuids(Mention::message));
    }

    private static List<Mention> mentionsIn(List<AcceptItem> items) {
        List<Mention> mentions = new ArrayList<>();
        for (AcceptItem item : items) {
            Envelope envelope = item.envelope();
            for (String member : Set.copyOf(envelope.mentions())) {
                mentions.add(new Mention(item.member().mesh(), member, item.id()));
            }
        }
        return mentions;
    }
}
