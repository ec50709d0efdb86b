package dev.tallystick.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A clock that stands still until the test moves it, forwards or backwards. Threads that wait for a time wake up when the
 * clock reaches it. Thread-safe.
 */
public final class SettableClock extends Clock {

    private final ZoneId zone;
    private final Time time;

    private SettableClock(ZoneId zone, Time time) {
        this.zone = zone;
        this.time = time;
    }

    /** A clock in UTC that shows the given time. */
    public static SettableClock at(Instant start) {
        return new SettableClock(ZoneOffset.UTC, new Time(start));
    }

    /** As {@link #at(Instant)}, with the time in ISO form, as in {@code 2030-01-01T00:00:00Z}. */
    public static SettableClock at(String start) {
        return at(Instant.parse(start));
    }

    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("a clock can only advance forwards, got " + by + "; use set");
        }
        time.move(now -> now.plus(by));
    }

    public void set(Instant now) {
        time.move(before -> now);
    }

    /** Completes, on the thread that moves the clock, once it shows {@code due} or later. */
    public CompletableFuture<Void> reached(Instant due) {
        return time.reached(due);
    }

    /** Blocks the caller until the clock shows {@code due} or later. Not for the thread that moves the clock. */
    public void sleepUntil(Instant due) {
        Signal wakeUp = new Signal("the clock to reach " + due);
        var unused = reached(due).thenRun(wakeUp::fire);
        wakeUp.await();
    }

    /** Blocks the test until at least this many waiters wait for a future time: from then on, moving the clock wakes them. */
    public void awaitWaiters(int count) {
        time.awaitWaiters(count);
    }

    @Override
    public Instant instant() {
        return time.now();
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    /** The same time in another zone: moving either moves both. */
    @Override
    public SettableClock withZone(ZoneId other) {
        return new SettableClock(other, time);
    }

    @Override
    public String toString() {
        return "SettableClock[" + instant() + ", " + zone + "]";
    }

    private record Waiter(Instant due, CompletableFuture<Void> reached) {}

    /** The state shared by the clocks of all zones. Waiters are woken in the order of their times, outside the lock. */
    private static final class Time {

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition waiterCame = lock.newCondition();
        private final List<Waiter> waiters = new ArrayList<>();
        private Instant now;

        Time(Instant start) {
            this.now = start;
        }

        Instant now() {
            return locked(() -> now);
        }

        void move(UnaryOperator<Instant> step) {
            List<Waiter> due = locked(() -> {
                now = step.apply(now);
                List<Waiter> reached = waiters.stream()
                        .filter(waiter -> !waiter.due().isAfter(now))
                        .sorted(Comparator.comparing(Waiter::due))
                        .toList();
                waiters.removeAll(reached);
                return reached;
            });
            due.forEach(waiter -> waiter.reached().complete(null));
        }

        CompletableFuture<Void> reached(Instant due) {
            return locked(() -> {
                if (!due.isAfter(now)) {
                    return CompletableFuture.completedFuture(null);
                }
                Waiter waiter = new Waiter(due, new CompletableFuture<>());
                waiters.add(waiter);
                waiterCame.signalAll();
                return waiter.reached();
            });
        }

        void awaitWaiters(int count) {
            lock.lock();
            try {
                Patience.await(count + " waiters on the clock", Patience.limit(), (amount, unit) -> {
                    long left = unit.toNanos(amount);
                    while (waiters.size() < count && left > 0) {
                        left = waiterCame.awaitNanos(left);
                    }
                    return waiters.size() >= count;
                });
            } finally {
                lock.unlock();
            }
        }

        private <T> T locked(Supplier<T> action) {
            lock.lock();
            try {
                return action.get();
            } finally {
                lock.unlock();
            }
        }
    }
}
