package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.GroupCommitter.Entry;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Commits batches one at a time on its own session. It answers every entry, or passes it on if a foreign lock blocks it: a
 * batch waits only briefly for foreign locks. Single-threaded.
 */
final class BatchCommitter implements AutoCloseable {

    private final GroupCommitter committer;
    private final Database database;
    private final GroupCommitter.Limits limits;
    private final Consumer<Entry<?, ?>> blocked;
    private @Nullable BatchSession session;

    /** @param blocked takes the entries that must wait for a lock longer than a batch does */
    BatchCommitter(
            GroupCommitter committer, Database database, GroupCommitter.Limits limits, Consumer<Entry<?, ?>> blocked) {
        this.committer = committer;
        this.database = database;
        this.limits = limits;
        this.blocked = blocked;
    }

    void commit(Batch batch) {
        guarded(batch, () -> settle(batch));
    }

    /** Answers every entry, even if this thread dies midway. */
    private static void guarded(Batch batch, Runnable attempt) {
        try {
            attempt.run();
        } catch (Throwable e) {
            batch.fail(new UnknownOutcomeException("the commit thread died in the middle of a batch", e));
            throw e;
        }
    }

    private void settle(Batch batch) {
        try {
            attempt(batch, BatchSession::hasty).forEach(blocked);
        } catch (UnknownOutcomeException e) {
            lookUp(batch, e);
        } catch (RuntimeException e) {
            if (batch.size() > 1 && blamesAnItem(e)) {
                split(batch);
            } else if (!batch.isAlone() && isOf(e, Reason.REFUSED)) {
                commit(batch.alone());
            } else if (isOf(e, Reason.LOCKED)) {
                blocked.accept(batch.only());
            } else {
                batch.fail(e);
            }
        }
    }

    /** Commits a single entry, and waits for its locks. */
    void commitPatiently(Entry<?, ?> entry) {
        Batch alone = Batch.alone(entry);
        guarded(alone, () -> {
            try {
                demandAnswered(attempt(alone, BatchSession::patient));
            } catch (UnknownOutcomeException e) {
                lookUp(alone, e);
            } catch (RuntimeException e) {
                alone.fail(e);
            }
        });
    }

    private static void demandAnswered(List<Entry<?, ?>> unanswered) {
        if (!unanswered.isEmpty()) {
            throw new IllegalStateException("an item that waited for its locks was not answered");
        }
    }

    /** Nothing of the batch happened, because of one of its entries. */
    private void split(Batch batch) {
        committer.splits.increment();
        batch.halves().forEach(this::commit);
    }

    /**
     * Applies the guarded batch again until it gets an answer. A definite failure is not an answer here: it concerns this
     * attempt, while the previous one may have committed.
     */
    private void lookUp(Batch batch, UnknownOutcomeException unknown) {
        RuntimeException last = unknown;
        for (int attempt = 1; attempt <= limits.lookUps(); attempt++) {
            committer.lookUps.increment();
            database.backoff().pause(attempt);
            try {
                attempt(batch.again(), BatchSession::patient)
                        .forEach(unanswered -> lookUp(Batch.alone(unanswered), unknown));
                return;
            } catch (RuntimeException e) {
                last = e;
            }
        }
        if (batch.size() > 1 && blamesAnItem(last)) {
            batch.halves().forEach(half -> lookUp(half, unknown));
        } else {
            batch.fail(unknown);
        }
    }

    private static boolean blamesAnItem(RuntimeException failure) {
        return switch (failure) {
            case UnknownOutcomeException e -> false;
            case DefiniteFailureException e ->
                switch (e.reason()) {
                    case UNAVAILABLE, OVERLOADED, DISK_FULL -> false;
                    case CONFLICT, LOCKED, REFUSED -> true;
                };
            default -> true;
        };
    }

    private static boolean isOf(RuntimeException failure, Reason reason) {
        return failure instanceof DefiniteFailureException definite && definite.reason() == reason;
    }

    /** Returns the entries that must run alone; all others are answered. */
    private List<Entry<?, ?>> attempt(Batch batch, Function<BatchSession, Opening> opening) {
        List<List<?>> answers;
        try {
            answers = withRepeats(batch, opening);
        } catch (UnknownOutcomeException e) {
            close();
            throw e;
        } catch (DefiniteFailureException e) {
            if (e.reason() == Reason.UNAVAILABLE) {
                close();
            }
            throw e;
        }
        committer.batches.increment();
        committer.items.add(batch.size());
        return batch.answer(answers);
    }

    private List<List<?>> withRepeats(Batch batch, Function<BatchSession, Opening> opening) {
        for (int attempt = 1; ; attempt++) {
            try {
                BatchSession open = session();
                return database.transactOn(open.session(), batch.name(), opening.apply(open), tx -> {
                    open.expect(tx, batch.size());
                    return batch.apply(tx);
                });
            } catch (DefiniteFailureException e) {
                if (e.reason() != Reason.CONFLICT || attempt == Database.MAX_ATTEMPTS) {
                    throw e;
                }
                database.backoff().pause(attempt);
            }
        }
    }

    private BatchSession session() {
        if (session == null) {
            session = database.sessionForBatches("the group committer", limits.lockWaitInCompany(), limits.lockWait());
        }
        return session;
    }

    /** Returns the session; the next batch opens another one. */
    @Override
    public void close() {
        if (session != null) {
            session.close();
            session = null;
        }
    }
}
