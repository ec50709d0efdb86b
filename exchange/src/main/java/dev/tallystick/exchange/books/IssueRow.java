package dev.tallystick.exchange.books;

import dev.tallystick.core.api.ExchangeApi.IssueView;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recorded issue.
 *
 * @param times how often it was raised
 */
public record IssueRow(
        IssueKind kind,
        String producer,
        String consumer,
        String id,
        String detail,
        long times,
        Instant raisedAt,
        Instant lastAt,
        @Nullable Instant resolvedAt) {

    public IssueView shown() {
        return new IssueView(kind.name(), producer, consumer, id, detail, times, raisedAt, lastAt, resolvedAt);
    }
}
