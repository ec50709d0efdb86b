package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.message.MessageId;
import java.util.concurrent.CompletableFuture;

/** Learns the outcomes of postings that have an origin in this installation. */
@FunctionalInterface
public interface Origins {

    /**
     * Passes an outcome to its origin. Called until the future succeeds, also after a restart and by other instances, so a
     * repeat must change nothing.
     */
    CompletableFuture<?> learn(String origin, MessageId id, Settled settled);
}
