package dev.tallystick.engine;

import java.util.Collection;

/** No workflow of this name, or not in this version, is registered. Nothing was accepted; the same key may be used once it is. */
public final class UnknownWorkflowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownWorkflowException(String workflow) {
        super("no workflow '" + workflow + "' is registered");
    }

    /** Only those who have its code can tell which of its jobs must wait for each other. */
    UnknownWorkflowException(Elsewhere.Registered limited) {
        super("workflow '" + limited.row().name()
                + "' has a limit, whose key is found in the input: register it where its jobs are submitted");
    }

    UnknownWorkflowException(String workflow, int version, Collection<Integer> known) {
        super("workflow '" + workflow + "' is not registered in version " + version + ", only in " + known);
    }
}
