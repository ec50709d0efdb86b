package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The failures of activities. The caller owns the transaction and has locked the jobs. */
public final class FaultStore {

    private static final String NOTE = """
            update tally.activity a
            set error = coalesce(i.error, a.error),
                stack_trace = coalesce(i.stack_trace, a.stack_trace),
                failed_at = now(),
                retry_at = now() + i.retry_millis * interval '1 millisecond'
            from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::bytea[], ?::bigint[])
                as i (job_id, path, name, error, stack_trace, retry_millis)
            where a.job_id = i.job_id and a.path = i.path and a.name = i.name
            """;

    /**
     * A failure of an activity.
     *
     * @param error null if the ledgers already have it
     * @param retry the delay before the next attempt; null if there is none, or if a posting has it
     */
    public record Noted(
            ActivityId activity,
            @Nullable String error,
            byte @Nullable [] stackTrace,
            @Nullable Duration retry) {}

    public void note(Tx tx, List<Noted> faults) throws SQLException {
        if (faults.isEmpty()) {
            return;
        }
        Columns<Noted> of = new Columns<>(faults);
        tx.update(
                NOTE,
                of.uuids(fault -> fault.activity().job().value()),
                of.texts(fault -> fault.activity().path()),
                of.texts(fault -> fault.activity().name()),
                of.texts(Noted::error),
                of.bytes(Noted::stackTrace),
                of.optionalLongs(
                        fault -> fault.retry() == null ? null : fault.retry().toMillis()));
    }

    /** Stores the failures among the activities just entered and collated. */
    public void note(Tx tx, Collection<LegOne> dispatches, Collection<LegTwo> results) throws SQLException {
        List<Noted> faults = new ArrayList<>();
        for (LegOne dispatch : dispatches) {
            LegOne.Failed failed = dispatch.failed();
            if (failed != null) {
                Fault fault = failed.fault();
                faults.add(new Noted(dispatch.activity(), fault.error(), fault.stackTrace(), failed.retry()));
            }
        }
        for (LegTwo result : results) {
            if (result.stackTrace() != null) {
                faults.add(new Noted(result.activity(), null, result.stackTrace(), null));
            }
        }
        note(tx, faults);
    }
}
