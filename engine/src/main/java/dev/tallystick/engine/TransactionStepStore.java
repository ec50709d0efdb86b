package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The transaction of a step: that it is still the one that was begun, and that the lease of its body stands. */
final class TransactionStepStore {

    // A setting of this transaction alone: it is gone once that has been ended, however that was done.
    private static final String BEGIN = """
            select set_config('tally.transaction_step', ?, true)
            """;

    private static final String HOLD = """
            select coalesce(current_setting('tally.transaction_step', true), '') = ? as open,
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
        tx.query(BEGIN, row -> row.getString(1), markOf(activity));
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
