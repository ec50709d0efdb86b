package dev.tallystick.engine.code;

import dev.tallystick.core.Unwinding;

/** Unwinds a body that continues as a new job. */
final class ContinuedAsNew extends Unwinding {

    private static final long serialVersionUID = 1L;

    private final byte[] input;

    ContinuedAsNew(byte[] input) {
        super("this job continues as a new one");
        this.input = input;
    }

    byte[] input() {
        return input;
    }
}
