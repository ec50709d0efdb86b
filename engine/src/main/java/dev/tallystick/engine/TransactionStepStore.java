package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The transaction of a step: that it is still the one that was begun, and that the lease of its body stands. */
final class TransactionStepStore {

    // Nothing is set for this, so it holds behind a pooler too, and no RESET of the user's undoes it.
    private static final String BEGIN = """
            select pg_current_xact_id()::text as id
            """;

    private static final String COMMITTED = """
            select coalesce(pg_xact_status(?::xid8) = 'committed', false) as committed
            """;

    private static final String HOLD = """
            select pg_current_xact_id()::text = ? as open,
                (
                    select p.fence
                    from tally.posting p
                    where p.job_id = ? and p.guid = ?
                    for update
                ) as fence
            """;

    /**
     * How the transaction stands, with the posting of the body locked.
     *
     * @param isOpen whether it is the one that was begun
     * @param fence of the posting; null if that is gone
     */
    record Held(boolean isOpen, @Nullable Long fence) {}

    /** Returns the id of the transaction. A server that can only read has none to give, and says so. */
    String begin(Tx tx) throws SQLException {
        return tx.first(BEGIN, row -> row.getString("id")).orElseThrow();
    }

    /** Whether the transaction of that id was committed, asked in another one. */
    boolean isCommitted(Tx tx, String begun) throws SQLException {
        return tx.first(COMMITTED, row -> row.getBoolean("committed"), begun).orElseThrow();
    }

    Held hold(Tx tx, String begun, Lease body) throws SQLException {
        return tx.first(
                        HOLD,
                        row -> new Held(row.getBoolean("open"), row.getObject("fence", Long.class)),
                        begun,
                        body.job().value(),
                        body.guid().value())
                .orElseThrow();
    }
}
