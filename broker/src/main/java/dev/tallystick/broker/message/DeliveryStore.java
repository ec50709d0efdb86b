package dev.tallystick.broker.message;

import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Message;
import dev.tallystick.broker.model.MessageColumns;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The delivery table. One method is one statement; the caller owns the transaction. */
public final class DeliveryStore {

    /** The current row that a lease refers to. */
    record State(
            UUID message, Inbox inbox, long fence, @Nullable String holder, boolean done, boolean dead) {}

    // A CTE, not "in (select …)": the planner may run a subquery twice and lease more than the limit.
    private static final String LEASE = """
            with due as (
                select message_id, inbox
                from tally.delivery
                where mesh = ? and inbox = ? and done_at is null and dead_at is null and visible_at <= now()
                order by priority, message_id
                limit ?
                for update skip locked
            ),
            leased as (
                update tally.delivery d
                set visible_at = now() + ? * interval '1 millisecond', fence = d.fence + 1, attempts = d.attempts + 1, holder = ?
                from due
                where d.message_id = due.message_id and d.inbox = due.inbox
                returning d.message_id, d.inbox, d.fence, d.attempts, d.visible_at, d.priority as turn
            )
            select l.inbox, l.fence, l.attempts, l.visible_at, %s
            from leased l
            join tally.message m on m.id = l.message_id
            order by l.turn, l.message_id
            """.formatted(MessageColumns.SELECTED);

    // In a fixed order, so that two callers that settle the same deliveries do not deadlock.
    private static final String LOCK = """
            select d.message_id, d.inbox, d.fence, d.holder, d.done_at is not null as done, d.dead_at is not null as dead
            from unnest(?::uuid[], ?::text[]) as i (message_id, inbox)
            join tally.delivery d on d.message_id = i.message_id and d.inbox = i.inbox and d.mesh = ?
            order by d.message_id, d.inbox
            for update of d
            """;

    private static final String DONE = """
            update tally.delivery d
            set done_at = now()
            from unnest(?::uuid[], ?::text[], ?::bigint[]) as i (message_id, inbox, fence)
            where d.message_id = i.message_id and d.inbox = i.inbox and d.fence = i.fence and d.done_at is null
            """;

    private static final String MOVE = """
            update tally.delivery d
            set visible_at = now() + ? * interval '1 millisecond', error = coalesce(?, d.error)
            from unnest(?::uuid[], ?::text[], ?::bigint[]) as i (message_id, inbox, fence)
            where d.message_id = i.message_id and d.inbox = i.inbox and d.fence = i.fence and d.done_at is null
            """;

    private static final String BURY = """
            update tally.delivery d
            set dead_at = now(), error = ?
            from unnest(?::uuid[], ?::text[], ?::bigint[]) as i (message_id, inbox, fence)
            where d.message_id = i.message_id and d.inbox = i.inbox and d.fence = i.fence and d.done_at is null
            """;

    private static final String WAITING = """
            select count(*) as waiting
            from tally.delivery
            where mesh = ? and inbox = ? and done_at is null and dead_at is null
            """;

    List<Delivery> lease(Tx tx, String mesh, Inbox inbox, int limit, Duration lease, @Nullable String holder)
            throws SQLException {
        return tx.query(LEASE, DeliveryStore::delivery, mesh, inbox.toString(), limit, lease.toMillis(), holder);
    }

    /** Locks and reads the rows of these leases. */
    List<State> lock(Tx tx, String mesh, List<Delivery.Lease> leases) throws SQLException {
        Columns<Delivery.Lease> of = new Columns<>(leases);
        return tx.query(
                LOCK,
                row -> new State(
                        row.getObject("message_id", UUID.class),
                        Inbox.parse(row.getString("inbox")),
                        row.getLong("fence"),
                        row.getString("holder"),
                        row.getBoolean("done"),
                        row.getBoolean("dead")),
                of.uuids(Delivery.Lease::message),
                of.texts(lease -> lease.inbox().toString()),
                mesh);
    }

    void finish(Tx tx, List<Delivery.Lease> leases) throws SQLException {
        Columns<Delivery.Lease> of = new Columns<>(leases);
        tx.update(
                DONE,
                of.uuids(Delivery.Lease::message),
                of.texts(lease -> lease.inbox().toString()),
                of.longs(Delivery.Lease::fence));
    }

    /** Sets for how long from now others may not take them. */
    void move(Tx tx, List<Delivery.Lease> leases, Duration visibleIn, @Nullable String error) throws SQLException {
        Columns<Delivery.Lease> of = new Columns<>(leases);
        tx.update(
                MOVE,
                visibleIn.toMillis(),
                error,
                of.uuids(Delivery.Lease::message),
                of.texts(lease -> lease.inbox().toString()),
                of.longs(Delivery.Lease::fence));
    }

    /** Ends all attempts to deliver them. */
    void bury(Tx tx, List<Delivery.Lease> leases, String error) throws SQLException {
        Columns<Delivery.Lease> of = new Columns<>(leases);
        tx.update(
                BURY,
                error,
                of.uuids(Delivery.Lease::message),
                of.texts(lease -> lease.inbox().toString()),
                of.longs(Delivery.Lease::fence));
    }

    long waiting(Tx tx, String mesh, Inbox inbox) throws SQLException {
        return tx.first(WAITING, row -> row.getLong("waiting"), mesh, inbox.toString())
                .orElse(0L);
    }

    public static Delivery delivery(ResultSet row) throws SQLException {
        Message message = MessageColumns.read(row);
        return new Delivery(
                new Delivery.Lease(
                        message.mesh(), Inbox.parse(row.getString("inbox")), message.id(), row.getLong("fence")),
                message,
                row.getInt("attempts"),
                Objects.requireNonNull(Tx.instant(row, "visible_at")));
    }
}
