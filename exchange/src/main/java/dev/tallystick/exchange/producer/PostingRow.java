package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.signing.BatchSignature;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A recorded posting, with what its message needs. */
record PostingRow(
        PostingRef ref,
        Status status,
        int attempt,
        int retries,
        int replays,
        Instant inception,
        @Nullable Instant last,
        Instant deadline,
        @Nullable OrderPlace place,
        Payload payload,
        BatchSignature signature,
        List<String> audit) {

    Message message() {
        return new Message(
                ref,
                status,
                replays,
                inception,
                last,
                new Message.Body.Posting(payload, deadline, place, signature),
                audit);
    }
}
