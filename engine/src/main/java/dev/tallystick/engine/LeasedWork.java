package dev.tallystick.engine;

import java.util.UUID;

/**
 * Work that may be done now.
 *
 * @param attempt which attempt this is, counted from 1
 * @param graph the queue of the graph, that is its name and version
 * @param key what the work is called outside
 */
record LeasedWork(Lease lease, String graph, int attempt, UUID key, byte[] input, boolean jobClosed) {

    /** What the log says of it. */
    FailureLog.Subject about() {
        ActivityId activity = lease.activity();
        return new FailureLog.Subject(activity.job(), graph, key.toString(), activity.name());
    }

    String workflow() {
        return graph.substring(0, graph.lastIndexOf('@'));
    }
}
