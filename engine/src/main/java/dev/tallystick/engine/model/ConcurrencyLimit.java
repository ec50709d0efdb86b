package dev.tallystick.engine.model;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Limits how much user work runs at once in this process: bodies and pieces of work in total, and per workflow. Work that finds
 * no room waits, and keeps its lease meanwhile. Thread-safe.
 */
public final class ConcurrencyLimit {

    private final EngineSettings settings;
    private final Semaphore all;
    private final AtomicInteger wanted = new AtomicInteger();
    private final Map<String, Semaphore> ofEach = new ConcurrentHashMap<>();

    public ConcurrencyLimit(EngineSettings settings) {
        this.settings = settings;
        this.all = new Semaphore(settings.atOnce(), true);
    }

    /** Does the work as soon as there is room. */
    public <T> T holding(String workflow, Supplier<T> work) {
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

    /** How many more could start now without waiting. */
    public int free() {
        return settings.atOnce() - wanted.get();
    }

    private Semaphore of(String workflow) {
        return ofEach.computeIfAbsent(workflow, name -> new Semaphore(settings.atOnceOfOne(), true));
    }
}
