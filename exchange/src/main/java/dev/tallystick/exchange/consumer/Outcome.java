package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.ProcessingStatus;

/** What a handler decides. */
public sealed interface Outcome {

    /** The work is done; its effects commit with this outcome. */
    record Ok(Payload payload) implements Outcome {}

    /** The posting is refused for a reason that lasts; the transaction commits all the same. */
    record Rejected(String reason, Payload payload) implements Outcome {}

    static Outcome ok(String text) {
        return new Ok(Payload.of(text));
    }

    static Outcome rejected(String reason) {
        return new Rejected(reason, Payload.EMPTY);
    }

    default ProcessingStatus processing() {
        return switch (this) {
            case Ok ok -> ProcessingStatus.OK;
            case Rejected rejected -> ProcessingStatus.REJECTED;
        };
    }

    Payload payload();

    /** Empty unless it is rejected. */
    default String why() {
        return switch (this) {
            case Ok ok -> "";
            case Rejected rejected -> rejected.reason();
        };
    }
}
