package dev.tallystick.engine.code;

import dev.tallystick.core.Unwinding;

/** Unwinds a body that is replayed to find its undos, where its record ends. */
final class UndoReached extends Unwinding {

    private static final long serialVersionUID = 1L;

    UndoReached() {
        super("the record ends here");
    }
}
