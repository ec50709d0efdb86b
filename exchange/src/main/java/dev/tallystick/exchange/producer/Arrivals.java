package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.signing.BatchSignature;

/** What arrives at a producer, and what it then answers. */
final class Arrivals {

    /** A verified receipt, with its bytes in case it becomes an issue. */
    record Receipt(PostingRef ref, Message.Body.Receipt body, byte[] bytes) {}

    /** A verified result, with its bytes in case it becomes an issue. */
    record Result(PostingRef ref, Message.Body.Result body, byte[] bytes) {}

    /** What was done with a receipt or a result. */
    sealed interface Answer {

        /** It changed the posting, or the posting had changed before it. */
        record Done(PostingRef ref) implements Answer {}

        /** The producer has recorded this result and acknowledges it; {@code isNew} if this is when it did. */
        record Acknowledged(
                PostingRef ref,
                ProcessingStatus processing,
                byte[] outcomeDigest,
                BatchSignature signature,
                boolean isNew)
                implements Answer {}

        /** It is kept as an issue. */
        record Refused(PostingRef ref, IssueKind kind) implements Answer {}
    }

    private Arrivals() {}
}
