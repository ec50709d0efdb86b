package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.signing.BatchSignature;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A received posting. */
record ReceivedRow(
        PostingRef ref,
        Status status,
        int attempt,
        int publications,
        Instant inception,
        Instant deadline,
        @Nullable OrderPlace place,
        Payload payload,
        BatchSignature receipt,
        @Nullable Decision decision,
        List<String> audit) {

    /** The outcome and our signature over it. */
    record Decision(Payload payload, String reason, BatchSignature signature) {}

    Request request() {
        return new Request(ref.producer(), ref.id(), payload, inception, deadline, place, attempt);
    }
}
