package dev.tallystick.engine;

import dev.tallystick.engine.PostingStore.Held;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.sql.UnknownOutcomeException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Runs a step's SQL and its Leg 2 in one transaction, so that the effect happens exactly once: with the digit, or not at all.
 * Never shares a batch. The user's statements run first and our locks are taken last, so user SQL never holds up the ledgers.
 */
final class Transactions {

    private final Database database;
    private final CollationStore collation;
    private final PostingStore postings;
    private final JobStore jobs;
    private final Repeats repeats;

    Transactions(Database database, CollationStore collation, PostingStore postings, JobStore jobs, Repeats repeats) {
        this.database = database;
        this.collation = collation;
        this.postings = postings;
        this.jobs = jobs;
        this.repeats = repeats;
    }

    /** The user's part: returns its result as it is recorded. */
    interface Part {
        byte[] run(Tx tx) throws SQLException;
    }

    /** What came of it. */
    sealed interface Outcome {

        /** Effect and result are durable. */
        record Committed(byte[] output) implements Outcome {}

        /** Effect and result were durable already, or are since an attempt whose reply was lost. */
        record RecordedBefore(RecordedActivity record) implements Outcome {}

        /** Nothing happened: somebody else has the lease. */
        record LeaseLost() implements Outcome {}
    }

    Outcome run(Lease lease, ActivityId activity, Part part) {
        try {
            return database.transact("transaction step " + activity.name(), tx -> {
                byte[] output = part.run(tx);
                if (!stands(tx, lease)) {
                    throw new LeaseLostException();
                }
                Optional<RecordedActivity> before = jobs.activity(tx, activity).filter(RecordedActivity::isDone);
                if (before.isPresent()) {
                    throw new RecordedException(before.get());
                }
                collation.collate(tx, List.of(LegTwo.whole(activity, lease.fence(), 0, output, null)));
                return new Outcome.Committed(output);
            });
        } catch (LeaseLostException e) {
            return new Outcome.LeaseLost();
        } catch (RecordedException e) {
            return new Outcome.RecordedBefore(e.record);
        } catch (UnknownOutcomeException e) {
            return repeats.answer(() -> lookUp(lease, activity, e));
        }
    }

    /** Whoever gets the lock of the posting knows that the lost COMMIT, which held it, has come to its end. */
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

    /** It is certain by now that the transaction did not commit: a failed attempt like any other. */
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

        private final transient RecordedActivity record;

        RecordedException(RecordedActivity record) {
            this.record = record;
        }
    }
}
