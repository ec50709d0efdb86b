package dev.tallystick.exchange.transport;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;

/** The packets of the Postgres transport. One method is one statement; the caller owns the transaction. */
final class PacketStore {

    // Signals in the same round trip. Nothing waits for the commit but the sender: the table is unlogged.
    private static final String ADD = """
        with added as (
            insert into tally.exchange_packet (topic, subject, messages, body)
            values (?, ?, ?, ?)
        )
        select pg_notify(?, ?)
        """;

    // A receiver keeps its packets locked until it has recorded them. If it dies, they are free at once.
    private static final String TAKE = """
        with taken as (
            select seq
            from tally.exchange_packet
            where topic = ? and subject = ?
            order by seq
            limit ?
            for update skip locked
        )
        delete from tally.exchange_packet p
        using taken
        where p.seq = taken.seq
        returning p.seq, p.body
        """;

    private static final String WAITING = """
        select coalesce(sum(messages), 0) as waiting
        from (
            select messages
            from tally.exchange_packet
            where topic = ? and subject = ?
            limit ?
        ) counted
        """;

    private static final String WIPE = "truncate tally.exchange_packet";

    record Row(long seq, byte[] body) {}

    /**
     * The last one travels with COMMIT.
     *
     * @param channel where to signal it
     * @param sender the process that needs no signal
     */
    void add(Tx tx, Address address, int messages, byte[] body, String channel, String sender) throws SQLException {
        tx.queryLater(
                ADD, row -> true, address.topic().word(), address.subject().name(), messages, body, channel, sender);
    }

    List<Row> take(Tx tx, Address address, int limit) throws SQLException {
        return tx.query(
                TAKE,
                row -> new Row(row.getLong("seq"), row.getBytes("body")),
                address.topic().word(),
                address.subject().name(),
                limit);
    }

    /** @param packets the most to count */
    long waiting(Tx tx, Address address, int packets) throws SQLException {
        return tx.first(
                        WAITING,
                        row -> row.getLong("waiting"),
                        address.topic().word(),
                        address.subject().name(),
                        packets)
                .orElse(0L);
    }

    void wipe(Tx tx) throws SQLException {
        tx.update(WIPE);
    }
}
