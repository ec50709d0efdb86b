package dev.tallystick.engine;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Knows which scopes of a body are at work and what the others wait for. When the last one turns to waiting there is nothing left
 * to do here, and the body is parked: {@code parking} gives its lease back and unwinds every thread. A scope is known by what its
 * places begin with, so those of a branch and of all branches within it begin alike.
 *
 * <p>Invariant: a scope is at work, or waits for the record, or waits for its branches, or is cancelled; work is handed over from
 * a branch to its parent under the lock, so nobody is ever seen idle on the way.
 */
final class Attention {

    /** Gives the lease back until one of these places is done. Returns what to unwind with. */
    interface Parking {
        BodyStopped park(Set<String> waitsFor);
    }

    private final Parking parking;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<String> working = new HashSet<>(Set.of(""));

    /** The places that scopes wait for. */
    private final Map<String, String> waits = new TreeMap<>();

    private long rings;

    Attention(Parking parking) {
        this.parking = parking;
    }

    /** A fork whose branches have not brought what their parent waits for. */
    final class Fork {
        private final String parent;
        private boolean satisfied;

        private Fork(String parent) {
            this.parent = parent;
        }

        /** A branch has ended. */
        void ended(String branch, boolean satisfies) {
            lock.lock();
            try {
                rest(branch);
                if (satisfies && !satisfied) {
                    satisfied = true;
                    working.add(parent);
                    changed.signalAll();
                }
                parkIfIdle();
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

    /** The parent stops working and its branches begin. */
    Fork fork(String parent, List<String> branches) {
        lock.lock();
        try {
            rest(parent);
            working.addAll(branches);
            return new Fork(parent);
        } finally {
            lock.unlock();
        }
    }

    /** Nothing of the branch counts any more, whatever its threads still do. */
    void cancel(String branch) {
        lock.lock();
        try {
            working.removeIf(scope -> scope.startsWith(branch));
            waits.keySet().removeIf(scope -> scope.startsWith(branch));
        } finally {
            lock.unlock();
        }
    }

    /** The scope has nothing to do until the place is done. */
    void waitsFor(String scope, String path) {
        lock.lock();
        try {
            rest(scope);
            waits.put(scope, path);
            parkIfIdle();
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

    /** The place that the scope waits for is done, and it goes on. */
    void goesOn(String scope) {
        lock.lock();
        try {
            demandNotCancelled(waits.remove(scope) != null);
            working.add(scope);
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

    private void rest(String scope) {
        demandNotCancelled(working.remove(scope));
    }

    private static void demandNotCancelled(boolean isKnown) {
        if (!isKnown) {
            throw new BodyStopped(BodyStopped.Reason.BRANCH_CANCELLED);
        }
    }

    private void parkIfIdle() {
        if (working.isEmpty()) {
            throw parking.park(new TreeSet<>(waits.values()));
        }
    }
}
