package dev.tallystick.client;

import java.io.Serial;

/**
 * An answer does not have the shape of a server's: something in between has given it, or changed it. What came of the request
 * is then unknown. Thrown while an answer is read, and caught by whoever waits for it; no caller of the SDK sees it.
 */
final class ForeignAnswer extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    ForeignAnswer(String what) {
        super(what);
    }

    ForeignAnswer(String what, Throwable cause) {
        super(what, cause);
    }
}
