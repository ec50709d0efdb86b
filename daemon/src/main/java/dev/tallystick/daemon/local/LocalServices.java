package dev.tallystick.daemon.local;

import dev.tallystick.core.Json;
import dev.tallystick.daemon.outbox.SendLimits;

/** What the local interface needs of the rest of the daemon. */
public interface LocalServices {

    /** What the server takes, as far as it is known. */
    SendLimits limits();

    /** A row was added to the outbox, and is on disk. */
    void added();

    /** Lets go of a row that is in flight only because it waits for its next attempt; false if it cannot be had. */
    boolean release(String row);

    Health health();

    /** In the text format of Prometheus. */
    String metrics();

    /** Messages that were received, after a position. */
    Json.ObjectValue inbox(long after, int limit);

    /** Events after a position. */
    EventSource events(long after);

    String version();

    /**
     * How the daemon is.
     *
     * @param isHealthy false if it forwards nothing although it should
     * @param details {@code delivery}, and why not; how much waits, and since when
     */
    record Health(boolean isHealthy, Json.ObjectValue details) {}
}
