package dev.tallystick.engine;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Knows how many threads of a body are at work and what the others wait for. When the last one turns to waiting there is nothing
 * left to do here, and the body is parked: {@code parking} gives its lease back and unwinds every thread.
 *
 * <p>Invariant: a thread is at work, or waits for the record, or waits for its branches; work is handed over from a branch to
 * whoever waits for it under the lock, so the count never touches zero on the way.
 */
final class Attention {

    /** Gives the lease back until one of these places is done. Returns what to unwind with. */
    interface Parking {
        BodyStopped park(Set<String> waitsFor);
    }

    private final Parking parking;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<String> waits = new TreeSet<>();
    private int working = 1;
    private long rings;

    Attention(Parking parking) {
        this.parking = parking;
    }

    /** A fork whose branches have not brought what their parent waits for. */
    final class Fork {
        private boolean satisfied;

        /** A branch has ended. */
        void ended(boolean satisfies) {
            lock.lock();
            try {
                if (satisfies && !satisfied) {
                    satisfied = true;
                    changed.signalAll();
                } else {
                    rest();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Waits for what the branches bring. */
        void await() throws InterruptedException {
            lock.lock();
            try {
                while (!satisfied) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** The caller stops working and its branches begin. */
    Fork fork(int branches) {
        lock.lock();
        try {
            working += branches - 1;
            return new Fork();
        } finally {
            lock.unlock();
        }
    }

    /** The caller has nothing to do until the place is done. */
    void waitsFor(String path) {
        lock.lock();
        try {
            waits.add(path);
            rest();
        } finally {
            lock.unlock();
        }
    }

    /** Lets time pass, or less if somebody rings. */
    void pause(Duration most) throws InterruptedException {
        lock.lock();
        try {
            long before = rings;
            long left = most.toNanos();
            while (rings == before && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The place is done and the caller goes on. */
    void goesOn(String path) {
        lock.lock();
        try {
            waits.remove(path);
            working++;
        } finally {
            lock.unlock();
        }
    }

    /** Those who wait look again. */
    void ring() {
        lock.lock();
        try {
            rings++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void rest() {
        working--;
        if (working == 0) {
            throw parking.park(new TreeSet<>(waits));
        }
    }
}
