package dev.tallystick.workflow;

/** A retry cannot make the payload smaller: store large data elsewhere and record a reference to it. */
public final class PayloadTooLargeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PayloadTooLargeException(int bytes) {
        super("%,d bytes are too large, at most %,d are recorded: keep large data elsewhere and say where it is"
                .formatted(bytes, Payloads.MAX_BYTES));
    }
}
