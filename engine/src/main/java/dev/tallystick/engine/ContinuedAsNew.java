package dev.tallystick.engine;

/**
 * Unwinds a body that goes on as a new job. An error, so that a workflow's own {@code catch (Exception …)} lets it pass.
 */
final class ContinuedAsNew extends Error {

    private static final long serialVersionUID = 1L;

    private final byte[] input;

    ContinuedAsNew(byte[] input) {
        super("this job goes on as a new one", null, false, false);
        this.input = input;
    }

    byte[] input() {
        return input;
    }
}
