package dev.tallystick.broker.webhook;

import dev.tallystick.broker.message.Delivery;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many webhook calls this process is making, and how many more it may make: neither a slow receiver nor a mesh with many of
 * them takes capacity from the others. Thread-safe.
 */
final class InFlightCalls {

    static final int AT_ONCE = 64;
    static final int OF_A_MESH = 16;
    static final int OF_A_RECEIVER = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Integer> byReceiver = new HashMap<>();
    private final Map<String, Integer> byMesh = new HashMap<>();
    private int all;

    /**
     * The calls in flight.
     *
     * @param room how many more calls may start
     * @param receivers calls by inbox
     * @param meshes calls by mesh
     */
    record Now(int room, Map<String, Integer> receivers, Map<String, Integer> meshes) {}

    Now now() {
        lock.lock();
        try {
            return new Now(AT_ONCE - all, Map.copyOf(byReceiver), Map.copyOf(byMesh));
        } finally {
            lock.unlock();
        }
    }

    void begins(Delivery.Lease call) {
        count(call, 1);
    }

    void ends(Delivery.Lease call) {
        count(call, -1);
    }

    private void count(Delivery.Lease call, int more) {
        lock.lock();
        try {
            all += more;
            add(byReceiver, call.inbox().toString(), more);
            add(byMesh, call.mesh(), more);
        } finally {
            lock.unlock();
        }
    }

    private static void add(Map<String, Integer> calls, String of, int more) {
        calls.merge(of, more, (before, now) -> before + now == 0 ? null : before + now);
    }
}
