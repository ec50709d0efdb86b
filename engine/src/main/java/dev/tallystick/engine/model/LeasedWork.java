package dev.tallystick.engine.model;

import java.util.UUID;

/**
 * Work that may be done now.
 *
 * @param attempt which attempt this is, counted from 1
 * @param graph the queue of the graph: its name and version
 * @param key the identifier that workers see
 */
public record LeasedWork(Lease lease, String graph, int attempt, UUID key, byte[] input, boolean jobClosed) {

    /** How the log describes it. */
    public FailureLog.Subject about() {
        ActivityId activity = lease.activity();
        return new FailureLog.Subject(activity.job(), graph, key.toString(), activity.name());
    }

    public String workflow() {
        return graph.substring(0, graph.lastIndexOf('@'));
    }
}
