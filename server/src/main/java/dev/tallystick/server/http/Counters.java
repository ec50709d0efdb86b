package dev.tallystick.server.http;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A bounded counter for each key. A counter at zero takes no memory. Thread-safe, without locks. */
final class Counters<K> {

    /** The answer of a counter that is at its limit. */
    static final int FULL = -1;

    /** The value of a counter that has left the map: a thread that still holds it looks for its successor. */
    private static final int GONE = -1;

    private final ConcurrentMap<K, AtomicInteger> counters = new ConcurrentHashMap<>();

    /** Counts up and returns the new number, or {@link #FULL} if the number would exceed the limit. */
    int up(K key, int limit) {
        while (true) {
            AtomicInteger counter = counter(key);
            int number = counter.get();
            if (number >= limit) {
                return FULL;
            }
            if (number == GONE) {
                counters.remove(key, counter);
            } else if (counter.compareAndSet(number, number + 1)) {
                return number + 1;
            }
        }
    }

    /** Takes one {@link #up} back. */
    void down(K key) {
        AtomicInteger counter = counter(key);
        if (counter.decrementAndGet() == 0 && counter.compareAndSet(0, GONE)) {
            counters.remove(key, counter);
        }
    }

    int size() {
        return counters.size();
    }

    private AtomicInteger counter(K key) {
        AtomicInteger counter = counters.get(key);
        return counter == null ? counters.computeIfAbsent(key, each -> new AtomicInteger()) : counter;
    }
}
