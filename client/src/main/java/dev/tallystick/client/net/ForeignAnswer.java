package dev.tallystick.client.net;

import java.io.Serial;

/**
 * An answer does not look like a server's: something in between sent or changed it. The outcome of the request is then unknown.
 * Thrown while an answer is read, and handled inside the SDK; callers never see it.
 */
public final class ForeignAnswer extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    public ForeignAnswer(String what) {
        super(what);
    }

    public ForeignAnswer(String what, Throwable cause) {
        super(what, cause);
    }
}
