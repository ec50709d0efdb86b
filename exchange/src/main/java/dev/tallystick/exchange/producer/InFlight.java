package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.message.MessageId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The postings that this instance has published and that are not answered; they leave after a while by themselves. Thread-safe. */
final class InFlight {

    private final int limit;
    private final long nanos;
    private final Map<MessageId, Long> until = new HashMap<>();

    InFlight(int limit, Duration longest) {
        this.limit = limit;
        this.nanos = longest.toNanos();
    }

    /** Whether there was room. */
    synchronized boolean enter(MessageId id) {
        if (until.size() >= limit) {
            forgetOld();
        }
        if (until.size() >= limit) {
            return false;
        }
        until.put(id, System.nanoTime() + nanos);
        return true;
    }

    synchronized void leave(MessageId id) {
        until.remove(id);
    }

    synchronized int free() {
        forgetOld();
        return limit - until.size();
    }

    private void forgetOld() {
        long now = System.nanoTime();
        until.values().removeIf(end -> end - now < 0);
    }
}
