package dev.tallystick.daemon.local;

import dev.tallystick.core.Json;
import dev.tallystick.daemon.outbox.SendLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the local interface needs of the rest of the daemon. */
public interface LocalServices {

    /** What the server takes, as far as it is known. */
    SendLimits limits();

    /** A row was added to the outbox, and is on disk. */
    void added();

    /** Lets go of a row that is in flight only because it waits for its next attempt; false if it cannot be had. */
    boolean release(String row);

    /**
     * Makes the next key of this device, which the server gets at the next meeting. If there is a next key already, it stays.
     *
     * @param grace how long the current key still counts afterwards; null for the server's default
     */
    Json.ObjectValue rotateKey(@Nullable Duration grace);

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
