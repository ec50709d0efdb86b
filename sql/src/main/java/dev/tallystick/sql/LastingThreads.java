package dev.tallystick.sql;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The threads of this process that last until they are asked to end, because others depend on what they do. One that dies is
 * missed. They are of the whole process, as memory is, which is what they mostly die of. Thread-safe.
 */
public final class LastingThreads {

    private static final Set<Thread> EXPECTED = ConcurrentHashMap.newKeySet();
    private static final LongAdder REPLACED = new LongAdder();

    /** Does what the current thread is for. When it returns, the thread may end; when it throws, the thread has died. */
    public static void last(Runnable duty) {
        EXPECTED.add(Thread.currentThread());
        duty.run();
        EXPECTED.remove(Thread.currentThread());
    }

    /** The names of those that have died: what they did is not done any more in this process. */
    public static List<String> dead() {
        return EXPECTED.stream()
                .filter(thread -> !thread.isAlive())
                .map(Thread::getName)
                .sorted()
                .toList();
    }

    /** How often something died on a thread of which another one took the place. */
    public static long replaced() {
        return REPLACED.sum();
    }

    static void replace() {
        REPLACED.increment();
    }

    private LastingThreads() {}
}
