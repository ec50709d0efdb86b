package dev.tallystick.exchange.message;

import static dev.tallystick.exchange.message.AckStatus.NACKED_RESULT;
import static dev.tallystick.exchange.message.ProcessingStatus.PENDING;

/** The status of a message, as the side that wrote it knows it. */
public record Status(AckStatus ack, ProcessingStatus processing) {

    public Status {
        if ((processing == PENDING) != (ack.compareTo(NACKED_RESULT) < 0)) {
            throw new IllegalArgumentException(
                    "there is a result exactly if processing has ended, not " + ack + ", " + processing);
        }
    }

    @Override
    public String toString() {
        return ack + ", " + processing;
    }
}
