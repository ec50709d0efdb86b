package dev.tallystick.exchange.books;

import dev.tallystick.core.api.ExchangeApi.PostingView;
import dev.tallystick.exchange.message.Status;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One side's record of a posting, for people.
 *
 * @param posted whether we posted it, or received it
 * @param attempts publications in the current sequence, or starts of the handler
 * @param replays of the posting, or publications of its result
 * @param failure the last failure of its handler; null if none
 * @param dueAt when something happens if no message arrives before; null if nothing has to
 */
public record View(
        boolean posted,
        String producer,
        String consumer,
        String id,
        Status status,
        int attempts,
        int replays,
        @Nullable String failure,
        Instant inception,
        Instant deadline,
        @Nullable Instant dueAt,
        @Nullable String reason,
        List<String> audit) {

    public PostingView shown() {
        return new PostingView(
                posted,
                producer,
                consumer,
                id,
                status.ack().name(),
                status.processing().name(),
                attempts,
                replays,
                failure,
                inception,
                deadline,
                dueAt,
                reason,
                audit);
    }
}
