package dev.tallystick.engine;

/**
 * Unwinds a body that is run once more to find its undos, where its record ends. An error, so that a workflow's own
 * {@code catch (Exception …)} lets it pass.
 */
final class UndoReached extends Error {

    private static final long serialVersionUID = 1L;

    UndoReached() {
        super("the record ends here", null, false, false);
    }
}
