package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** The origins of postings. One method is one statement; the caller owns the transaction. */
final class OriginStore {

    // A settled posting whose origins all know it becomes untold again, and a pending one gets another origin.
    private static final String ADD = """
        update tally.exchange_posting m
        set origin = case when m.origin is null then o.origin else m.origin || chr(10) || o.origin end
        from unnest(?, ?) as o (id, origin)
        where m.producer = ? and m.id = o.id
            and (m.origin is null or not o.origin = any (string_to_array(m.origin, chr(10))))
        """;

    private static final String UNTOLD = """
        select id, origin, processing, outcome, reason, settled_at
        from tally.exchange_posting
        where producer = ? and origin is not null and settled_at is not null and (settled_at, id) > (?, ?)
        order by settled_at, id
        limit ?
        """;

    private static final String TOLD = """
        update tally.exchange_posting m
        set origin = null
        from unnest(?, ?) as t (id, origin)
        where m.producer = ? and m.id = t.id and m.origin = t.origin
        """;

    /** A settled posting whose origins are still to learn of it. */
    record Untold(MessageId id, String origins, Settled settled, Instant settledAt) {}

    private final Participant producer;

    OriginStore(Participant producer) {
        this.producer = producer;
    }

    void add(Tx tx, List<Draft> drafts) throws SQLException {
        Columns<Draft> columns = new Columns<>(drafts);
        tx.update(ADD, columns.texts(draft -> draft.id().value()), columns.texts(Draft::origin), producer.name());
    }

    /** The next ones after this moment and id. */
    List<Untold> untold(Tx tx, Instant after, String afterId, int limit) throws SQLException {
        return tx.query(
                UNTOLD,
                row -> new Untold(
                        new MessageId(row.getString("id")),
                        row.getString("origin"),
                        PostingStore.settled(
                                row.getString("processing"),
                                Payload.of(row.getBytes("outcome")),
                                row.getString("reason")),
                        Objects.requireNonNull(Tx.instant(row, "settled_at"))),
                producer.name(),
                after,
                afterId,
                limit);
    }

    void told(Tx tx, List<Untold> told) throws SQLException {
        Columns<Untold> columns = new Columns<>(told);
        tx.update(TOLD, columns.texts(each -> each.id().value()), columns.texts(Untold::origins), producer.name());
    }
}
