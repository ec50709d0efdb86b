package dev.tallystick.engine;

import java.util.List;

/**
 * Brings workflows to a process that did not know them when it was built. Put an implementation into a jar, name it in
 * {@code META-INF/services/dev.tallystick.engine.WorkflowProvider}, and put the jar where the process looks for it.
 */
public interface WorkflowProvider {

    List<WorkflowType<?, ?>> workflows();
}
