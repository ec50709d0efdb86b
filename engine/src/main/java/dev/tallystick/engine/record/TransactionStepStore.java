package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Lease;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The transaction of a step: checks that it is still the one that was begun, and that its body's lease stands. */
final class TransactionStepStore {

    // Needs no session setting, so it also works behind a pooler, and a RESET by user code cannot undo it.
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
     * The state of the transaction, with the body's posting locked.
     *
     * @param isOpen whether it is still the one that was begun
     * @param fence of the posting; null if the posting is gone
     */
    record Held(boolean isOpen, @Nullable Long fence) {}

    /** Returns the id of the transaction. Fails on a read-only server, which cannot assign one. */
    String begin(Tx tx) throws SQLException {
        return tx.first(BEGIN, row -> row.getString("id")).orElseThrow();
    }

    /** Whether the transaction with that id was committed; called from another transaction. */
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
