package dev.tallystick.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * How much of the users' work is done at once in this process: so many bodies and pieces of work in all, and so many of one
 * workflow. What finds no room waits, and keeps its lease meanwhile. Thread-safe.
 */
final class Room {

    private final EngineSettings settings;
    private final Semaphore all;
    private final AtomicInteger wanted = new AtomicInteger();
    private final Map<String, Semaphore> ofEach = new ConcurrentHashMap<>();

    Room(EngineSettings settings) {
        this.settings = settings;
        this.all = new Semaphore(settings.bodies(), true);
    }

    /** Does the work as soon as there is a place for it. */
    <T> T holding(String workflow, Supplier<T> work) {
        Semaphore ofThis = of(workflow);
        wanted.incrementAndGet();
        ofThis.acquireUninterruptibly();
        all.acquireUninterruptibly();
        try {
            return work.get();
        } finally {
            all.release();
            ofThis.release();
            wanted.decrementAndGet();
        }
    }

    /** How many more could begin now and need not wait. */
    int free() {
        return settings.bodies() - wanted.get();
    }

    private Semaphore of(String workflow) {
        return ofEach.computeIfAbsent(workflow, name -> new Semaphore(settings.bodiesOfOne(), true));
    }
}
