package dev.tallystick.workflow;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The workflow, or this version of it, is not registered. Nothing was accepted; the same key may be used once it is registered.
 */
public final class UnknownWorkflowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnknownWorkflowException(String workflow) {
        super("no workflow '" + workflow + "' is registered");
    }

    private UnknownWorkflowException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Only processes that have the workflow's code can compute its limit's key. */
    public static UnknownWorkflowException limited(String workflow) {
        return new UnknownWorkflowException(
                "workflow '" + workflow
                        + "' has a limit, whose key is found in the input: register it where its jobs are submitted",
                null);
    }

    public UnknownWorkflowException(String workflow, int version, Collection<Integer> known) {
        super("workflow '" + workflow + "' is not registered in version " + version + ", only in " + known);
    }
}
