package dev.tallystick.broker;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many calls to webhooks this process makes at the moment, and how many more it may: neither a receiver that is slow to
 * answer nor a mesh that has many of them takes the room of the others. Thread-safe.
 */
final class CallsUnderWay {

    static final int AT_ONCE = 64;
    static final int OF_A_MESH = 16;
    static final int OF_A_RECEIVER = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Integer> byReceiver = new HashMap<>();
    private final Map<String, Integer> byMesh = new HashMap<>();
    private int all;

    /**
     * What is under way.
     *
     * @param room for how many more there is room
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
