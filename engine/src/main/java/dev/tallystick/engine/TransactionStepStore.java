package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The transaction of a step: that it is still the one that was begun, and that the lease of its body stands. */
final class TransactionStepStore {

    // The first setting is gone once this transaction has been ended, however that was done. The second one stays if it
    // was committed, and only then.
    private static final String BEGIN = """
            select set_config('tally.open_step', ?, true), set_config('tally.committed_step', ?, false)
            """;

    private static final String COMMITTED = """
            select coalesce(current_setting('tally.committed_step', true), '') = ? as committed
            """;

    private static final String HOLD = """
            select coalesce(current_setting('tally.open_step', true), '') = ? as open,
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

    void begin(Tx tx, ActivityId activity) throws SQLException {
        tx.query(BEGIN, row -> row.getString(1), markOf(activity), markOf(activity));
    }

    /** Whether something of the step was committed, asked after its transaction was rolled back. */
    boolean isCommitted(Tx tx, ActivityId activity) throws SQLException {
        return tx.first(COMMITTED, row -> row.getBoolean("committed"), markOf(activity))
                .orElseThrow();
    }

    Held hold(Tx tx, ActivityId activity, Lease body) throws SQLException {
        return tx.first(
                        HOLD,
                        row -> new Held(row.getBoolean("open"), row.getObject("fence", Long.class)),
                        markOf(activity),
                        body.job().value(),
                        body.guid().value())
                .orElseThrow();
    }

    private static String markOf(ActivityId activity) {
        return Guid.of(activity, 0).value().toString();
    }
}
