package dev.tallystick.engine.code;

import dev.tallystick.engine.model.ExecutionStopped;
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
 * Tracks which scopes of a body are working and what the others wait for. When the last working scope starts to wait, nothing
 * is left to do here and the body is parked: {@code parking} releases its lease and unwinds every thread. A scope is identified
 * by the prefix of its paths, so a branch and all branches within it share a prefix.
 *
 * <p>Invariant: a scope works, waits for the record, waits for its branches, or is cancelled. A branch hands work over to its
 * parent under the lock, so the body never looks idle in between.
 */
final class ParkingMonitor {

    /** Releases the lease until one of these places is done. Returns the exception to unwind with. */
    interface Parking {
        ExecutionStopped park(Set<String> waitsFor);
    }

    private final Parking parking;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<String> working = new HashSet<>(Set.of(""));

    /** The place that each waiting scope waits for. */
    private final Map<String, String> waits = new TreeMap<>();

    private long rings;

    ParkingMonitor(Parking parking) {
        this.parking = parking;
    }

    /** A fork whose parent still waits for its branches. */
    final class Fork {
        private final String parent;
        private boolean satisfied;

        private Fork(String parent) {
            this.parent = parent;
        }

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

        /** Waits until the branches satisfy the parent. */
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

    /** The parent stops working and its branches start. */
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

    /** Ignores the branch from now on, whatever its threads still do. */
    void cancel(String branch) {
        lock.lock();
        try {
            working.removeIf(scope -> scope.startsWith(branch));
            waits.keySet().removeIf(scope -> scope.startsWith(branch));
        } finally {
            lock.unlock();
        }
    }

    /** The scope has nothing to do until this place is done. */
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

    /** Waits this long, or until the next {@link #ring}. */
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

    /** The place that the scope waited for is done; the scope resumes. */
    void goesOn(String scope) {
        lock.lock();
        try {
            demandNotCancelled(waits.remove(scope) != null);
            working.add(scope);
        } finally {
            lock.unlock();
        }
    }

    /** Makes all waiting threads look again. */
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
            throw new ExecutionStopped(ExecutionStopped.Reason.BRANCH_CANCELLED);
        }
    }

    private void parkIfIdle() {
        if (working.isEmpty()) {
            throw parking.park(new TreeSet<>(waits.values()));
        }
    }
}
