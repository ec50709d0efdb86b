package dev.tallystick.engine.code;

import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.engine.model.Threads;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** The threads of one body: its own and one for each running branch. Thread-safe. */
final class ExecutionThreads {

    /** How many steps of one body, in its branches, are worked at. A step waits for no other, so each gets its turn. */
    static final int STEPS_AT_ONCE = 50;

    private final Semaphore places = new Semaphore(STEPS_AT_ONCE);
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** The threads that are running a step. */
    private final Set<Thread> working = new HashSet<>();

    interface Working extends AutoCloseable {
        @Override
        void close();
    }

    /** Starts a thread that unwinds when the body is stopped. */
    Thread start(String name, Runnable part) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                part.run();
            } catch (ExecutionStopped ended) {
                // The record says where to resume, and the next process to lease the body does.
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        thread.start();
        return thread;
    }

    void interruptAll() {
        threads.forEach(Thread::interrupt);
    }

    /** Interrupts the threads that are not running a step. None starts one between {@code first} and the interrupts. */
    void interruptIdle(Runnable first) {
        synchronized (working) {
            first.run();
            threads.stream().filter(thread -> !working.contains(thread)).forEach(Thread::interrupt);
        }
    }

    /**
     * Marks this thread as working, from the start of an attempt at a step to its end. It waits while {@link #STEPS_AT_ONCE}
     * others work.
     *
     * @param check throws if the work may not start
     */
    Working work(Runnable check) {
        takePlace(check);
        try {
            synchronized (working) {
                check.run();
                working.add(Thread.currentThread());
            }
        } catch (RuntimeException | Error refused) {
            places.release();
            throw refused;
        }
        return () -> {
            synchronized (working) {
                working.remove(Thread.currentThread());
            }
            places.release();
        };
    }

    private void takePlace(Runnable check) {
        boolean taken = places.tryAcquire();
        while (!taken) {
            try {
                places.acquire();
                taken = true;
            } catch (InterruptedException e) {
                check.run();
            }
        }
    }

    /** Waits until no other thread of this body is left; returns whether that is so. */
    boolean awaitOthers(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            for (Thread thread : threads) {
                if (!thread.equals(Thread.currentThread())
                        && !thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())))) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    void awaitEnd(long deadlineNanos) {
        Threads.awaitAll(threads, deadlineNanos);
    }
}
