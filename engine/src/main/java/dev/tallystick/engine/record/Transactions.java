package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Collated;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.engine.record.PostingStore.Held;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.Tx;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.workflow.MisuseException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs a step's SQL and its Leg 2 in one transaction, so that the effect happens exactly once: with the digit, or not at all.
 * Never shares a batch. User statements run first and our locks are taken last, so user SQL never blocks the ledgers.
 */
public final class Transactions {

    private final Database database;
    private final CollationStore collation;
    private final PostingStore postings;
    private final JobStore jobs;
    private final DatabaseRetry databaseRetry;
    private final TransactionStepStore store = new TransactionStepStore();

    public Transactions(
            Database database,
            CollationStore collation,
            PostingStore postings,
            JobStore jobs,
            DatabaseRetry databaseRetry) {
        this.database = database;
        this.collation = collation;
        this.postings = postings;
        this.jobs = jobs;
        this.databaseRetry = databaseRetry;
    }

    /** The user's part: returns its result as it is recorded. */
    public interface Part {
        byte[] run(Tx tx) throws SQLException;
    }

    public sealed interface Outcome {

        /** Effect and result are durable. */
        record Committed(byte[] output) implements Outcome {}

        /** Effect and result were already durable, or became so in an attempt whose reply was lost. */
        record RecordedBefore(RecordedActivity record) implements Outcome {}

        /** Nothing happened: another process holds the lease. */
        record LeaseLost() implements Outcome {}
    }

    /** Lets the engine write through the connection that user code was given. */
    public Tx join(Connection connection) throws SQLException {
        return database.join(GuardedConnection.behind(connection));
    }

    public Outcome run(Lease lease, ActivityId activity, Part part) {
        try {
            return transact(activity, (tx, begun) -> {
                byte[] output = work(tx, begun, activity, part);
                tx.withoutUsers();
                TransactionStepStore.Held held = store.hold(tx, begun, lease);
                if (!held.isOpen()) {
                    throw ended(activity, store.isCommitted(tx, begun));
                }
                if (!Objects.equals(held.fence(), lease.fence())) {
                    throw new LeaseLostException();
                }
                LegTwo result = LegTwo.whole(activity, lease.fence(), 0, output, null);
                Collated collated = collation.collate(tx, List.of(result)).get(result.guid());
                if (collated != null && collated.ledger().attempts() > 1) {
                    throw new RecordedException();
                }
                return new Outcome.Committed(output);
            });
        } catch (LeaseLostException e) {
            return new Outcome.LeaseLost();
        } catch (RecordedException e) {
            return databaseRetry.answer(() -> recordedBefore(activity));
        } catch (UnknownOutcomeException e) {
            return databaseRetry.answer(() -> lookUp(lease, activity, e));
        }
    }

    private interface InTransaction {

        /** @param begun the id of the transaction */
        Outcome run(Tx tx, String begun) throws SQLException;
    }

    /** An unreachable database or a read-only session is not a failure of the step, and does not count as an attempt. */
    private Outcome transact(ActivityId activity, InTransaction work) {
        AtomicBoolean begun = new AtomicBoolean();
        return databaseRetry.answer(
                () -> {
                    begun.set(false);
                    return database.transact("transaction step " + activity.name(), SessionLimits.USERS, tx -> {
                        String id = store.begin(tx);
                        begun.set(true);
                        return work.run(tx, id);
                    });
                },
                failure -> failure instanceof DefiniteFailureException definite
                        && definite.reason() == DefiniteFailureException.Reason.UNAVAILABLE
                        && (!begun.get() || definite.isOfReadOnlySession()));
    }

    /** Work that fails after it has committed must not be repeated. */
    private byte[] work(Tx tx, String begun, ActivityId activity, Part part) throws SQLException {
        try {
            return part.run(tx);
        } catch (SQLException | RuntimeException | Error failure) {
            if (isCommitted(tx, begun)) {
                throw ended(activity, true);
            }
            throw failure;
        }
    }

    private boolean isCommitted(Tx tx, String begun) {
        try {
            tx.connection().rollback();
            tx.withoutUsers();
            return store.isCommitted(tx, begun);
        } catch (SQLException away) {
            return false;
        }
    }

    private static MisuseException ended(ActivityId activity, boolean isCommitted) {
        String before = isCommitted ? "durable" : "rolled back";
        return GuardedConnection.misuse(
                activity.name(), "ended its transaction, so what it wrote before that is " + before);
    }

    private Outcome recordedBefore(ActivityId activity) {
        return database.transact(
                "read transaction step " + activity.name(),
                tx -> new Outcome.RecordedBefore(jobs.activity(tx, activity).orElseThrow()));
    }

    /** Getting the posting's lock proves that the lost COMMIT, which held that lock, is over. */
    private Outcome lookUp(Lease lease, ActivityId activity, UnknownOutcomeException unknown) {
        return database.transact("look up transaction step " + activity.name(), tx -> {
            boolean stands = stands(tx, lease);
            Optional<RecordedActivity> record = jobs.activity(tx, activity).filter(RecordedActivity::isDone);
            if (record.isPresent()) {
                return new Outcome.RecordedBefore(record.get());
            }
            if (!stands) {
                return new Outcome.LeaseLost();
            }
            throw new NotCommittedException(unknown);
        });
    }

    private boolean stands(Tx tx, Lease lease) throws SQLException {
        Held held = postings.hold(tx, List.of(lease)).get(lease.guid());
        return held != null && held.fence() == lease.fence();
    }

    /** The transaction is now known not to have committed: an ordinary failed attempt. */
    static final class NotCommittedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotCommittedException(UnknownOutcomeException cause) {
            super("its COMMIT was lost on the way and did not happen", cause);
        }
    }

    private static final class LeaseLostException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private static final class RecordedException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }
}
