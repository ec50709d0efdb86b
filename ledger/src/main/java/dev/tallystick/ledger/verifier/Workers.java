package dev.tallystick.ledger.verifier;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads for what can be done side by side. */
final class Workers {

    private static final int MOST = 16;

    private Workers() {}

    /** As many as there are processors, to be closed when the work is done. */
    static ExecutorService start() {
        int processors = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MOST);
        return Executors.newFixedThreadPool(
                processors, Thread.ofPlatform().daemon().name("verifier-", 0).factory());
    }
}
