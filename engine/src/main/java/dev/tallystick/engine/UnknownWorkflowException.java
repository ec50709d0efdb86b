package dev.tallystick.engine;

import java.util.Collection;

/**
 * The workflow, or this version of it, is not registered. Nothing was accepted; the same key may be used once it is registered.
 */
public final class UnknownWorkflowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownWorkflowException(String workflow) {
        super("no workflow '" + workflow + "' is registered");
    }

    /** Only processes that have the workflow's code can compute its limit's key. */
    UnknownWorkflowException(Elsewhere.Registered limited) {
        super("workflow '" + limited.row().name()
                + "' has a limit, whose key is found in the input: register it where its jobs are submitted");
    }

    UnknownWorkflowException(String workflow, int version, Collection<Integer> known) {
        super("workflow '" + workflow + "' is not registered in version " + version + ", only in " + known);
    }
}
