package dev.tallystick.core.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Postings to and from partners, for operators: list, show, replay, issues, evidence, reconcile. */
public interface ExchangeApi {

    /**
     * One side's record of a posting.
     *
     * @param posted whether this installation posted it, or received it
     * @param n the producer
     * @param p the consumer
     * @param attempts publications in the current sequence, or starts of the handler
     * @param replays of the posting, or publications of its result
     * @param failure the last failure of its handler
     * @param dueAt when something happens if no message arrives before; missing if nothing has to
     * @param reason why the consumer rejected it
     */
    record PostingView(
            boolean posted,
            String n,
            String p,
            String id,
            String ackStatus,
            String processingStatus,
            int attempts,
            int replays,
            @Nullable String failure,
            Instant inceptionDatum,
            Instant deadline,
            @Nullable Instant dueAt,
            @Nullable String reason,
            List<String> audit) {}

    record PostingList(List<PostingView> postings) {}

    record Replayed(String id) {}

    record BundleView(RawJson bundle) {}

    /**
     * A consistency issue.
     *
     * @param times how often it was raised
     * @param resolvedAt missing while it is open
     */
    record IssueView(
            String kind,
            String n,
            String p,
            String id,
            String detail,
            long times,
            Instant raisedAt,
            Instant lastAt,
            @Nullable Instant resolvedAt) {}

    record IssueList(List<IssueView> issues) {}

    /**
     * A posting about which the books of this installation and of a partner differ.
     *
     * @param day of the posting's inception
     * @param here the status in our books, or {@code -}
     * @param there the status in the partner's books, or {@code -}
     */
    record DifferenceView(String kind, String n, String p, String id, String day, String here, String there) {}

    record DifferenceList(List<DifferenceView> differences) {}
}
