package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Whose turn it is among the postings of an order key. One method is one statement; the caller owns the transaction. */
final class OrderStore {

    private static final String TAKE_TURN = """
        update tally.exchange_received r
        set attempt = r.attempt + 1,
            due_at = now() + ? * interval '1 millisecond'
        where r.consumer = ? and r.producer = ? and r.order_key = ?
            and r.order_number = 1 + coalesce((
                select last_number
                from tally.exchange_order
                where producer = r.producer and consumer = r.consumer and handled and order_key = r.order_key), 0)
            and r.processing = 'PENDING' and (r.attempt = 0 or r.due_at <= now())
        returning %s
        """.formatted(ReceivedColumns.ALL);

    private static final String END_TURN = """
        insert into tally.exchange_order as o (producer, consumer, handled, order_key, last_number)
        select ?, ?, true, ?, 1
        where ? = 1
        on conflict (producer, consumer, handled, order_key) do nothing
        """;

    private static final String MOVE_TURN = """
        update tally.exchange_order
        set last_number = ?
        where producer = ? and consumer = ? and handled and order_key = ? and last_number = ? - 1
        """;

    private final Participant consumer;

    OrderStore(Participant consumer) {
        this.consumer = consumer;
    }

    /** Leases the posting whose turn it is, unless it is leased. */
    Optional<ReceivedRow> takeTurn(Tx tx, Participant producer, String orderKey, Duration lease) throws SQLException {
        return tx.first(TAKE_TURN, ReceivedColumns::read, lease.toMillis(), consumer.name(), producer.name(), orderKey);
    }

    /** Whether it was this posting's turn. */
    boolean endTurn(Tx tx, Participant producer, OrderPlace place) throws SQLException {
        int first = tx.update(END_TURN, producer.name(), consumer.name(), place.key(), place.number());
        return first == 1
                || tx.update(MOVE_TURN, place.number(), producer.name(), consumer.name(), place.key(), place.number())
                        == 1;
    }
}
