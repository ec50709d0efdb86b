package dev.tallystick.engine;

/** No workflow of this name is registered. Nothing was accepted; the same key may be used once it is. */
public final class UnknownWorkflowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownWorkflowException(String workflow) {
        super("no workflow '" + workflow + "' is registered");
    }
}
