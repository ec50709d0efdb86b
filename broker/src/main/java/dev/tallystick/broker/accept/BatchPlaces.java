package dev.tallystick.broker.accept;

import dev.tallystick.keys.Scope;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the batches that are processed at once, of a member, of a mesh, and of all together. One batch holds as many rows as
 * hundreds of requests: without these limits, one member's batches would fill the queue in which all others wait. Thread-safe.
 */
final class BatchPlaces {

    static final int OF_A_MEMBER = 4;
    static final int OF_A_MESH = 8;
    static final int OF_ALL = 16;

    private final Duration longestWait;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();
    private final Map<Scope, Integer> ofMembers = new HashMap<>();
    private final Map<String, Integer> ofMeshes = new HashMap<>();
    private int all;

    BatchPlaces(Duration longestWait) {
        this.longestWait = longestWait;
    }

    /** A place that is taken until it is closed. */
    interface Place {
        void close();
    }

    /** Waits for a place; empty if none becomes free in time, or if the thread is interrupted. */
    Optional<Place> take(Scope member) {
        long wait = longestWait.toNanos();
        lock.lock();
        try {
            while (!isFree(member)) {
                if (wait <= 0) {
                    return Optional.empty();
                }
                wait = left.awaitNanos(wait);
            }
            all++;
            ofMeshes.merge(member.mesh(), 1, Integer::sum);
            ofMembers.merge(member, 1, Integer::sum);
            return Optional.of(() -> leave(member));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private boolean isFree(Scope member) {
        return all < OF_ALL
                && ofMeshes.getOrDefault(member.mesh(), 0) < OF_A_MESH
                && ofMembers.getOrDefault(member, 0) < OF_A_MEMBER;
    }

    private void leave(Scope member) {
        lock.lock();
        try {
            all--;
            ofMeshes.computeIfPresent(member.mesh(), (mesh, number) -> number == 1 ? null : number - 1);
            ofMembers.computeIfPresent(member, (scope, number) -> number == 1 ? null : number - 1);
            left.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
