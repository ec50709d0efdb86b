package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.GroupCommitter.Entry;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Entries wait here for foreign locks, so that no batch has to. A few at a time, each with a temporary session. */
final class WaitingRoom {

    private static final int SEATS = 2;

    /** Called when an entry is answered. */
    interface Back {
        void comes(boolean lockWasFree);
    }

    private final GroupCommitter committer;
    private final Database database;
    private final GroupCommitter.Limits limits;
    private final Semaphore seats = new Semaphore(SEATS);

    WaitingRoom(GroupCommitter committer, Database database, GroupCommitter.Limits limits) {
        this.committer = committer;
        this.database = database;
        this.limits = limits;
    }

    /** Answers the entry within about twice {@link GroupCommitter.Limits#lockWait()}. */
    void take(Entry<?, ?> entry, Back back) {
        Thread.ofVirtual().name("tally-commit-waiting").start(() -> {
            try {
                await(entry);
            } finally {
                back.comes(!entry.answer().isCompletedExceptionally());
            }
        });
    }

    private void await(Entry<?, ?> entry) {
        boolean seated = false;
        try {
            seated = seats.tryAcquire(limits.lockWait().toNanos(), TimeUnit.NANOSECONDS);
            if (seated) {
                commit(entry);
            } else {
                entry.fail(
                        new DefiniteFailureException(Reason.LOCKED, "too many items wait for locks: try again", null));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            entry.fail(new DefiniteFailureException(Reason.UNAVAILABLE, "interrupted before this was sent", e));
        } finally {
            if (seated) {
                seats.release();
            }
        }
    }

    private void commit(Entry<?, ?> entry) {
        try (BatchCommitter alone = new BatchCommitter(committer, database, limits, unanswered -> {
            throw new IllegalStateException("an entry that waits alone is not passed on");
        })) {
            alone.commitPatiently(entry);
        }
    }
}
