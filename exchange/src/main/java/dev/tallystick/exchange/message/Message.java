package dev.tallystick.exchange.message;

import dev.tallystick.exchange.signing.BatchSignature;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message between a producer and a consumer.
 *
 * @param status what the sender knew when it wrote the message; the receiver decides by its own record
 * @param replays how often the posting has been replayed
 * @param inception when the posting was recorded
 * @param last when the posting was last replayed; null if never
 * @param audit the sender's trail, the oldest entry first: time, participant and instance, action
 */
public record Message(
        PostingRef ref,
        Status status,
        int replays,
        Instant inception,
        @Nullable Instant last,
        Body body,
        List<String> audit) {

    /** The longest trail in a message: its newest entries. The record keeps all. */
    static final int MAX_AUDIT = 32;

    public Message {
        audit = List.copyOf(audit.size() > MAX_AUDIT ? audit.subList(audit.size() - MAX_AUDIT, audit.size()) : audit);
    }

    /** What kind of message it is, and what only that kind has. */
    public sealed interface Body {

        /** From the producer, on POSTINGS: asks. */
        record Posting(
                Payload payload, Instant deadline, @Nullable OrderPlace place, BatchSignature signature)
                implements Body {}

        /** From the consumer, on RESULTS: has recorded the posting. */
        record Receipt(BatchSignature signature) implements Body {}

        /**
         * From the consumer, on RESULTS: has decided.
         *
         * @param reason why it was rejected; empty if it was not
         * @param receipt the receipt's signature, because the receipt may have been lost
         */
        record Result(
                ProcessingStatus processing,
                Payload payload,
                String reason,
                BatchSignature receipt,
                BatchSignature signature)
                implements Body {

            static final int MAX_REASON = 2_000;

            public Result {
                if (processing == ProcessingStatus.PENDING) {
                    throw new IllegalArgumentException("a result is OK or REJECTED");
                }
                if (reason.length() > MAX_REASON || reason.indexOf('\0') >= 0) {
                    throw new IllegalArgumentException("a reason has at most " + MAX_REASON + " characters, none NUL");
                }
            }

            public byte[] outcomeDigest() {
                return Statement.outcomeDigest(payload, reason);
            }

            public byte[] statement(PostingRef ref) {
                return Statement.ofResult(ref, processing, outcomeDigest());
            }
        }

        /**
         * From the producer, on POSTINGS: has recorded the result.
         *
         * @param outcomeDigest of the result that it has recorded
         */
        record Acknowledgement(ProcessingStatus processing, Payload outcomeDigest, BatchSignature signature)
                implements Body {

            public byte[] statement(PostingRef ref) {
                return Statement.ofAcknowledgement(Statement.ofResult(ref, processing, outcomeDigest.bytes()));
            }
        }

        /**
         * From either: has kept the other's message as a consistency issue, and will not act on it.
         *
         * @param issue the kind of the issue
         * @param byProducer whether the producer refuses a result, or the consumer a posting
         */
        record Refusal(String issue, boolean byProducer, BatchSignature signature) implements Body {

            static final int MAX_ISSUE = 64;

            public Refusal {
                if (issue.isEmpty() || issue.length() > MAX_ISSUE) {
                    throw new IllegalArgumentException("the kind of an issue has at most " + MAX_ISSUE + " characters");
                }
            }
        }
    }
}
