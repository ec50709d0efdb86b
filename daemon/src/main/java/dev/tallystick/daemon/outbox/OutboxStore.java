package dev.tallystick.daemon.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The statements that change the outbox. One method is one statement; the caller owns the transaction. For one thread. */
final class OutboxStore implements AutoCloseable {

    private static final String BY_ID = "select * from outbox where id = ?";

    // For a lookup of a known key, which has to be quick: without its payload.
    private static final String FIND = """
            select request_fingerprint, status, broker_message_id, history_id, last_error
            from outbox
            where client_message_id = ?
            """;

    // Most keys are new: looking them up before would cost each of them a statement.
    private static final String INSERT = """
            insert into outbox (id, client_message_id, request_fingerprint, destination, payload, options, traceparent,
                                checksum, enqueued_at, next_attempt_at, status)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?9, ?9, 'pending')
            on conflict (client_message_id) do nothing
            """;

    private static final String NEXT_IN_ORDER = """
            select *
            from outbox indexed by outbox_pending
            where destination = ? and status = 'pending'
            order by position
            limit ?
            """;

    // A time far ahead means that the clock was set back.
    private static final String NEXT_DUE = """
            select *
            from outbox indexed by outbox_pending
            where destination = ?
              and status = 'pending'
              and (next_attempt_at <= ? or next_attempt_at > ?)
            order by position
            limit ?
            """;

    private static final String TAKE = """
            update outbox
            set status = 'inflight', attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ?)
            where position = ? and status = 'pending'
            """;

    private static final String DELIVERED = """
            update outbox
            set status = 'done', attempts = ?, delivered_at = ?, broker_message_id = ?, history_id = ?, last_error = null
            where position = ? and status = 'inflight'
            """;

    private static final String DEAD = """
            update outbox
            set status = 'dead', attempts = ?, last_error = ?
            where position = ? and status = 'inflight'
            """;

    private static final String RELEASED = """
            update outbox
            set status = 'pending', attempts = ?, first_attempt_at = ?, next_attempt_at = ?, last_error = ?
            where position = ? and status = 'inflight'
            """;

    // The second condition is that of the index.
    private static final String RECOVER = """
            update outbox indexed by outbox_attended
            set status = 'pending'
            where status = 'inflight' and status in ('inflight', 'dead')
            """;

    private static final String ABORT = """
            update outbox
            set status = 'aborted', aborted_at = ?, aborted_by = ?, superseded_by = ?
            where position = ? and status in ('pending', 'dead')
            """;

    private static final String DROP = """
            update outbox
            set payload = x'', options = null, traceparent = null, payload_dropped_at = ?
            where position = ? and status in ('done', 'aborted') and payload_dropped_at is null
            """;

    private static final String SET = """
            insert into setting (name, value)
            values (?, ?)
            on conflict (name) do update set value = excluded.value
            """;

    private static final String USED_PAGES = """
            select (page_count - freelist_count) * page_size
            from pragma_page_count(), pragma_freelist_count(), pragma_page_size()
            """;

    private final Statements statements;

    /** @param connection closed by its owner */
    OutboxStore(Connection connection) {
        this.statements = new Statements(connection);
    }

    /** What a row with the key says to a repeat of it. */
    record Bound(
            Fingerprint fingerprint,
            OutboxState state,
            @Nullable String brokerMessageId,
            @Nullable String historyId,
            @Nullable String lastError) {}

    Optional<Bound> find(IdempotencyKey key) throws SQLException {
        PreparedStatement statement = statements.prepare(FIND);
        statement.setString(1, key.value());
        try (ResultSet result = statement.executeQuery()) {
            return result.next()
                    ? Optional.of(new Bound(
                            Fingerprint.of(result.getBytes(1)),
                            OutboxState.parse(result.getString(2)),
                            result.getString(3),
                            result.getString(4),
                            result.getString(5)))
                    : Optional.empty();
        }
    }

    Optional<OutboxRow> byId(String id) throws SQLException {
        return statements.one(BY_ID, id);
    }

    /**
     * A row as its columns take it. All callers share the writing thread, so each of them prepares its row on its own.
     *
     * @param id the id of the row
     */
    record Columns(String id, NewRow row, byte[] fingerprint, String destination, byte[] payload, long checksum) {

        static Columns of(String id, NewRow row) {
            return new Columns(
                    id,
                    row,
                    row.fingerprint().bytes(),
                    row.to().toString(),
                    row.content().payload().getBytes(UTF_8),
                    OutboxStore.checksum(row.key(), row.fingerprint(), row.to(), row.content()));
        }
    }

    /** Whether the key was free. */
    boolean insert(Columns columns, Instant now) throws SQLException {
        OutboxRow.Content content = columns.row().content();
        PreparedStatement statement = statements.prepare(INSERT);
        statement.setString(1, columns.id());
        statement.setString(2, columns.row().key().value());
        statement.setBytes(3, columns.fingerprint());
        statement.setString(4, columns.destination());
        statement.setBytes(5, columns.payload());
        statement.setString(6, content.options());
        statement.setString(7, content.traceParent());
        statement.setLong(8, columns.checksum());
        statement.setLong(9, now.toEpochMilli());
        return statement.executeUpdate() == 1;
    }

    /**
     * The next rows to send, in their order.
     *
     * @param due null for the first ones whether or not they are due
     * @param maxBytes of their payloads; a single one may have more
     */
    List<OutboxRow> next(String to, @Nullable Instant due, int limit, int maxBytes) throws SQLException {
        PreparedStatement statement = statements.prepare(due == null ? NEXT_IN_ORDER : NEXT_DUE);
        int parameter = 1;
        statement.setString(parameter++, to);
        if (due != null) {
            statement.setLong(parameter++, due.toEpochMilli());
            statement.setLong(parameter++, due.plus(Outbox.LONGEST_REST).toEpochMilli());
        }
        statement.setInt(parameter, limit);
        return Statements.rows(statement, maxBytes);
    }

    void take(OutboxRow row, Instant now) throws SQLException {
        PreparedStatement statement = statements.prepare(TAKE);
        statement.setLong(1, now.toEpochMilli());
        statement.setLong(2, row.position());
        requireOne(row, statement.executeUpdate());
    }

    void delivered(Settlement.Delivered settled, Instant now) throws SQLException {
        PreparedStatement statement = statements.prepare(DELIVERED);
        statement.setInt(1, settled.attempts());
        statement.setLong(2, now.toEpochMilli());
        statement.setString(3, settled.brokerMessageId());
        statement.setString(4, settled.historyId());
        statement.setLong(5, settled.row().position());
        requireOne(settled.row(), statement.executeUpdate());
    }

    void dead(Settlement.Dead settled) throws SQLException {
        PreparedStatement statement = statements.prepare(DEAD);
        statement.setInt(1, settled.attempts());
        statement.setString(2, settled.error());
        statement.setLong(3, settled.row().position());
        requireOne(settled.row(), statement.executeUpdate());
    }

    void released(Settlement.Released settled) throws SQLException {
        PreparedStatement statement = statements.prepare(RELEASED);
        statement.setInt(1, settled.attempts());
        setInstant(statement, 2, settled.firstAttemptAt());
        statement.setLong(3, settled.nextAttemptAt().toEpochMilli());
        statement.setString(4, settled.error());
        statement.setLong(5, settled.row().position());
        requireOne(settled.row(), statement.executeUpdate());
    }

    int recover() throws SQLException {
        return statements.prepare(RECOVER).executeUpdate();
    }

    void abort(OutboxRow row, String by, String successor, Instant now) throws SQLException {
        PreparedStatement statement = statements.prepare(ABORT);
        statement.setLong(1, now.toEpochMilli());
        statement.setString(2, by);
        statement.setString(3, successor);
        statement.setLong(4, row.position());
        requireOne(row, statement.executeUpdate());
    }

    /** An update that names the expected state must find it: only one writer has the file. */
    private static void requireOne(OutboxRow row, int changed) {
        if (changed != 1) {
            throw new IllegalStateException(
                    "the row " + row.id() + " is no longer " + row.state().word());
        }
    }

    void drop(long position, Instant now) throws SQLException {
        PreparedStatement statement = statements.prepare(DROP);
        statement.setLong(1, now.toEpochMilli());
        statement.setLong(2, position);
        int unused = statement.executeUpdate();
    }

    void set(String name, String value) throws SQLException {
        PreparedStatement statement = statements.prepare(SET);
        statement.setString(1, name);
        statement.setString(2, value);
        int unused = statement.executeUpdate();
    }

    /** Not within a transaction. */
    void compact() throws SQLException {
        // SQLite refuses while a statement of this connection is open.
        statements.close();
        boolean unused = statements.prepare("vacuum").execute();
    }

    long usedBytes() throws SQLException {
        try (ResultSet result = statements.prepare(USED_PAGES).executeQuery()) {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    private static void setInstant(PreparedStatement statement, int parameter, @Nullable Instant moment)
            throws SQLException {
        if (moment == null) {
            statement.setNull(parameter, java.sql.Types.INTEGER);
        } else {
            statement.setLong(parameter, moment.toEpochMilli());
        }
    }

    /** Over all that is sent, and by which it is known. */
    static long checksum(IdempotencyKey key, Fingerprint fingerprint, Destination to, OutboxRow.Content content) {
        CRC32C sum = new CRC32C();
        add(sum, key.value());
        add(sum, fingerprint.hex());
        add(sum, to.toString());
        add(sum, content.payload());
        add(sum, content.options());
        return sum.getValue();
    }

    private static void add(CRC32C sum, @Nullable String text) {
        byte[] bytes = text == null ? new byte[0] : text.getBytes(UTF_8);
        sum.update(ByteBuffer.allocate(Integer.BYTES)
                .putInt(text == null ? -1 : bytes.length)
                .flip());
        sum.update(bytes);
    }

    @Override
    public void close() throws SQLException {
        statements.close();
    }
}
