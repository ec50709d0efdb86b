package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.PostingRef;

/** What arrives at a consumer, and what it then answers. */
final class Arrived {

    /** A verified posting. */
    record Posting(Message message, Message.Body.Posting body, byte[] bytes) {

        PostingRef ref() {
            return message.ref();
        }
    }

    /** A verified acknowledgement. */
    record Acknowledgement(PostingRef ref, Message.Body.Acknowledgement body, byte[] bytes) {}

    /** What was done with it. */
    sealed interface Answer {

        /** A posting was recorded: send its receipt, and run its handler if it is not in an order. */
        record New(ReceivedRow row) implements Answer {}

        /** The posting is known: it gets what its first arrival got, or what its handler decided. */
        record Repeated(ReceivedRow row) implements Answer {}

        /** It is kept as an issue. */
        record Refused(PostingRef ref, IssueKind kind) implements Answer {}

        /** An acknowledgement was recorded, now or before. */
        record Done() implements Answer {}
    }

    private Arrived() {}
}
