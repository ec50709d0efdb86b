package dev.tallystick.broker.webhook;

import dev.tallystick.broker.model.Inbox;
import dev.tallystick.sql.Tx;
import java.net.URI;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The abandoned deliveries to webhooks. One method is one statement; the caller owns the transaction. */
final class DeadCallStore {

    // Skips deliveries for deleted webhooks.
    private static final String LIST = """
            select w.id, w.member, w.url, d.message_id, d.attempts, d.error, d.dead_at
            from tally.delivery d
            join tally.webhook w on d.inbox = 'webhook:' || w.id
            where d.mesh = ? and d.dead_at is not null and d.done_at is null
                and w.member = coalesce(?, w.member)
                and (d.message_id, d.inbox) > (coalesce(?, '00000000-0000-0000-0000-000000000000'::uuid), ?)
            order by d.message_id, d.inbox
            limit ?
            """;

    private static final String FIND = """
            select
            from tally.delivery
            where mesh = ? and message_id = ? and inbox = ?
            """;

    private static final String REDRIVE = """
            update tally.delivery
            set dead_at = null, attempts = 0, visible_at = now()
            where mesh = ? and message_id = ? and inbox = ? and dead_at is not null and done_at is null
            """;

    List<DeadCall> list(Tx tx, String mesh, @Nullable String member, DeadCalls.@Nullable Place after, int limit)
            throws SQLException {
        return tx.query(
                LIST,
                row -> new DeadCall(
                        row.getString("id"),
                        row.getString("member"),
                        URI.create(row.getString("url")),
                        row.getObject("message_id", UUID.class),
                        row.getInt("attempts"),
                        row.getString("error"),
                        Objects.requireNonNull(Tx.instant(row, "dead_at"))),
                mesh,
                member,
                after == null ? null : after.message(),
                after == null ? "" : inbox(after),
                limit);
    }

    boolean has(Tx tx, String mesh, DeadCalls.Place call) throws SQLException {
        return tx.first(FIND, row -> true, mesh, call.message(), inbox(call)).isPresent();
    }

    int redrive(Tx tx, String mesh, DeadCalls.Place call) throws SQLException {
        return tx.update(REDRIVE, mesh, call.message(), inbox(call));
    }

    private static String inbox(DeadCalls.Place call) {
        return Inbox.webhook(call.webhook()).toString();
    }
}
