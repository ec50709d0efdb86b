package dev.tallystick.daemon.outbox;

import dev.tallystick.core.ProblemCode;
import java.io.Serial;

/** A local request is not one that the daemon can keep. Nothing was written, and its key is free. */
public final class RequestRefused extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final ProblemCode code;

    /** @param detail what is wrong, and what to do about it */
    public RequestRefused(ProblemCode code, String detail) {
        super(detail, null, false, false);
        this.code = code;
    }

    public ProblemCode code() {
        return code;
    }
}
