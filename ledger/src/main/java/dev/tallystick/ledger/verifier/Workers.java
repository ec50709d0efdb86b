package dev.tallystick.ledger.verifier;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads for what can be done side by side. */
final class Workers {

    private static final int MOST = 16;

    private Workers() {}

    /** As many as there are processors, to be closed when the work is done. */
    static ExecutorService start() {
        return start(Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MOST));
    }

    static ExecutorService startOne() {
        return start(1);
    }

    private static ExecutorService start(int threads) {
        return Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name("verifier-", 0).factory());
    }
}
