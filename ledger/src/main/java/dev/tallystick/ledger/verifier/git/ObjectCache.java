package dev.tallystick.ledger.verifier.git;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was read last, as much as fits into so many bytes. Thread-safe. */
public final class ObjectCache<T> {

    /** What an entry takes beside its content. */
    private static final int OVERHEAD = 200;

    private record Weighed<T>(T value, int weight) {}

    private final long capacity;
    private final Map<Object, Weighed<T>> entries = new LinkedHashMap<>(1024, 0.75f, true);
    private long weight;

    public ObjectCache(long capacity) {
        this.capacity = capacity;
    }

    synchronized @Nullable public T find(Object key) {
        Weighed<T> found = entries.get(key);
        return found == null ? null : found.value;
    }

    /** Finds an entry and removes it. */
    synchronized @Nullable public T take(Object key) {
        Weighed<T> found = entries.remove(key);
        weight -= found == null ? 0 : found.weight;
        return found == null ? null : found.value;
    }

    /**
     * Keeps the value, and drops older ones to make room.
     *
     * @param bytes about how much memory the value takes
     */
    public synchronized void put(Object key, T value, int bytes) {
        if (bytes > capacity / 4) {
            return;
        }
        Weighed<T> replaced = entries.put(key, new Weighed<>(value, bytes + OVERHEAD));
        weight += bytes + OVERHEAD - (replaced == null ? 0 : replaced.weight);
        var eldest = entries.entrySet().iterator();
        while (weight > capacity) {
            weight -= eldest.next().getValue().weight;
            eldest.remove();
        }
    }
}
