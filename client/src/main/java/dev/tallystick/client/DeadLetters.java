package dev.tallystick.client;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs that failed, that nobody waits for, and about which somebody has to decide. Thread-safe. */
public final class DeadLetters {

    private static final String PATH = "/v1/deadletters";

    private final Exchange exchange;

    DeadLetters(Exchange exchange) {
        this.exchange = exchange;
    }

    /** A page of them, the oldest first; {@code after} is the {@code next} of the page before. */
    public Reply list(@Nullable UUID after, int limit) {
        return exchange.send(Request.get(PATH + "?limit=" + limit + (after == null ? "" : "&after=" + after)));
    }

    public Reply show(UUID job) {
        return exchange.send(Request.get(PATH + "/" + job));
    }

    /** Does the job again from where it failed. Once only: asking again gives the same job. */
    public Reply redrive(UUID job) {
        return exchange.send(Request.post(PATH + "/" + job + "/redrive", null));
    }

    /** Leaves the job as it is. */
    public Reply discard(UUID job) {
        return exchange.send(Request.delete(PATH + "/" + job));
    }
}
