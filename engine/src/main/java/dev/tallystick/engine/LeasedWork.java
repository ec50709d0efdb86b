package dev.tallystick.engine;

import java.util.UUID;

/**
 * Work that may be done now.
 *
 * @param attempt which attempt this is, counted from 1
 * @param graph the queue of the graph: its name and version
 * @param key the identifier that workers see
 */
record LeasedWork(Lease lease, String graph, int attempt, UUID key, byte[] input, boolean jobClosed) {

    /** How the log describes it. */
    FailureLog.Subject about() {
        ActivityId activity = lease.activity();
        return new FailureLog.Subject(activity.job(), graph, key.toString(), activity.name());
    }

    String workflow() {
        return graph.substring(0, graph.lastIndexOf('@'));
    }
}
