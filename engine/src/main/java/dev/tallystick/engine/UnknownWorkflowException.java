package dev.tallystick.engine;

import java.util.Collection;

/** No workflow of this name, or not in this version, is registered. Nothing was accepted; the same key may be used once it is. */
public final class UnknownWorkflowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownWorkflowException(String workflow) {
        super("no workflow '" + workflow + "' is registered");
    }

    UnknownWorkflowException(String workflow, int version, Collection<Integer> known) {
        super("workflow '" + workflow + "' is not registered in version " + version + ", only in " + known);
    }
}
