package dev.tallystick.broker.webhook;

import dev.tallystick.broker.member.MemberStore;
import dev.tallystick.broker.message.Delivery;
import dev.tallystick.broker.message.DeliveryStore;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.MessageColumns;
import dev.tallystick.core.Destination;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The webhook table, and deliveries to webhooks. One method is one statement; the caller owns the transaction. */
final class WebhookStore {

    /** A delivery and its target; no target if the webhook is gone. */
    record Due(Delivery delivery, @Nullable Target target) {}

    /** @param owner with its current roles */
    record Target(URI url, byte[] secret, Member owner) {}

    // Serializes concurrent registrations for one member, so that none overlooks another.
    private static final String LOCK_OWNER = """
            select name
            from tally.member
            where mesh = ? and name = ?
            for no key update
            """;

    private static final String COUNT = """
            select count(*) as webhooks
            from tally.webhook
            where mesh = ? and member = ?
            """;

    private static final String CREATE = """
            with created as (
                insert into tally.webhook (id, mesh, member, source, url, secret)
                values (?, ?, ?, ?, ?, ?)
                returning id, mesh, member, source, url, created_at, ended_at
            ),
            subscribed as (
                insert into tally.subscription (mesh, source, inbox)
                select mesh, source, 'webhook:' || id
                from created
            )
            select *
            from created
            """;

    private static final String DELETE = """
            with deleted as (
                delete from tally.webhook
                where mesh = ? and id = ?
                returning mesh, id
            ),
            unsubscribed as (
                delete from tally.subscription s
                using deleted d
                where s.mesh = d.mesh and s.inbox = 'webhook:' || d.id
            )
            update tally.delivery v
            set dead_at = now(), error = 'the webhook was deleted'
            from deleted d
            where v.mesh = d.mesh and v.inbox = 'webhook:' || d.id and v.done_at is null and v.dead_at is null
            """;

    private static final String LIST = """
            select id, mesh, member, source, url, created_at, ended_at
            from tally.webhook
            where mesh = ?
            order by created_at, id
            """;

    private static final String FIND = """
            select id, mesh, member, source, url, created_at, ended_at
            from tally.webhook
            where mesh = ? and id = ?
            """;

    // Matches the partial index that these statements use.
    private static final String OPEN =
            "d.inbox >= 'webhook:' and d.inbox < 'webhook;' and d.done_at is null and d.dead_at is null";

    // Receivers of a mesh take turns, and so do meshes, whatever their backlogs: the recursion hops from receiver to
    // receiver along the index, so its cost grows with the number of receivers, not of deliveries. Each receiver's
    // oldest delivery comes first. Only leased rows are locked, so that brokers do not hide the rest from each other.
    private static final String LEASE = """
            with recursive lane as (
                (select d.mesh, d.inbox from tally.delivery d where {open} order by d.mesh, d.inbox limit 1)
                union all
                select n.mesh, n.inbox
                from lane l
                cross join lateral (
                    select d.mesh, d.inbox
                    from tally.delivery d
                    where {open} and (d.mesh, d.inbox) > (l.mesh, l.inbox)
                    order by d.mesh, d.inbox
                    limit 1
                ) n
            ),
            candidate as (
                select l.mesh, o.message_id, o.inbox, o.visible_at,
                    row_number() over (partition by l.mesh, l.inbox order by o.visible_at)
                        + coalesce(busy.calls, 0) as turn
                from lane l
                left join unnest(?::text[], ?::int[]) as busy (inbox, calls) on busy.inbox = l.inbox
                cross join lateral (
                    select d.message_id, d.inbox, d.visible_at
                    from tally.delivery d
                    where {open} and d.mesh = l.mesh and d.inbox = l.inbox and d.visible_at <= now()
                    order by d.visible_at
                    limit greatest(0, ? - coalesce(busy.calls, 0))
                ) o
            ),
            turn as (
                select c.message_id, c.inbox, c.visible_at,
                    row_number() over (partition by c.mesh order by c.turn, c.visible_at)
                        + coalesce(busy.calls, 0) as turn
                from candidate c
                left join unnest(?::text[], ?::int[]) as busy (mesh, calls) on busy.mesh = c.mesh
            ),
            next as materialized (
                select message_id, inbox
                from turn
                where turn <= ?
                order by turn, visible_at
                limit ?
            ),
            due as materialized (
                select d.message_id, d.inbox
                from next
                join tally.delivery d on d.message_id = next.message_id and d.inbox = next.inbox
                where {open} and d.visible_at <= now()
                for update of d skip locked
            ),
            leased as (
                update tally.delivery d
                set visible_at = now() + ? * interval '1 millisecond', fence = d.fence + 1, attempts = d.attempts + 1
                from due
                where d.message_id = due.message_id and d.inbox = due.inbox
                returning d.message_id, d.inbox, d.fence, d.attempts, d.visible_at
            )
            select l.inbox, l.fence, l.attempts, l.visible_at, w.url, w.secret, o.name as owner, o.roles, %s
            from leased l
            join tally.message m on m.id = l.message_id
            left join tally.webhook w on w.id = substr(l.inbox, length('webhook:') + 1)
            left join tally.member o on o.mesh = w.mesh and o.name = w.member
            """.replace("{open}", OPEN).formatted(MessageColumns.SELECTED);

    /** Returns false if there is no such member. */
    boolean lockOwner(Tx tx, Member owner) throws SQLException {
        return tx.first(LOCK_OWNER, row -> row.getString("name"), owner.mesh(), owner.name())
                .isPresent();
    }

    int count(Tx tx, Member owner) throws SQLException {
        return tx.first(COUNT, row -> row.getInt("webhooks"), owner.mesh(), owner.name())
                .orElseThrow();
    }

    Webhook create(Tx tx, String id, Member owner, Destination source, URI url, byte[] secret) throws SQLException {
        return tx.first(
                        CREATE,
                        WebhookStore::webhook,
                        id,
                        owner.mesh(),
                        owner.name(),
                        source.toString(),
                        url.toString(),
                        secret)
                .orElseThrow();
    }

    void delete(Tx tx, String mesh, String id) throws SQLException {
        tx.update(DELETE, mesh, id);
    }

    List<Webhook> list(Tx tx, String mesh) throws SQLException {
        return tx.query(LIST, WebhookStore::webhook, mesh);
    }

    Optional<Webhook> find(Tx tx, String mesh, String id) throws SQLException {
        return tx.first(FIND, WebhookStore::webhook, mesh, id);
    }

    /** Leases as many deliveries as there is room for beside the calls in flight. */
    List<Due> lease(Tx tx, InFlightCalls.Now now, Duration lease) throws SQLException {
        Columns<Map.Entry<String, Integer>> receivers =
                new Columns<>(List.copyOf(now.receivers().entrySet()));
        Columns<Map.Entry<String, Integer>> meshes =
                new Columns<>(List.copyOf(now.meshes().entrySet()));
        return tx.query(
                LEASE,
                row -> new Due(DeliveryStore.delivery(row), target(row)),
                receivers.texts(Map.Entry::getKey),
                receivers.ints(Map.Entry::getValue),
                InFlightCalls.OF_A_RECEIVER,
                meshes.texts(Map.Entry::getKey),
                meshes.ints(Map.Entry::getValue),
                InFlightCalls.OF_A_MESH,
                now.room(),
                lease.toMillis());
    }

    private static @Nullable Target target(ResultSet row) throws SQLException {
        String url = row.getString("url");
        if (url == null) {
            return null;
        }
        Member owner = new Member(row.getString("mesh"), row.getString("owner"), MemberStore.roles(row));
        return new Target(URI.create(url), row.getBytes("secret"), owner);
    }

    private static Webhook webhook(ResultSet row) throws SQLException {
        return new Webhook(
                row.getString("id"),
                row.getString("mesh"),
                row.getString("member"),
                Destination.parse(row.getString("source")),
                URI.create(row.getString("url")),
                Objects.requireNonNull(Tx.instant(row, "created_at")),
                Tx.instant(row, "ended_at"));
    }
}
