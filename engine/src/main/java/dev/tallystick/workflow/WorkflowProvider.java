package dev.tallystick.workflow;

import java.util.List;

/**
 * Adds workflows to a process that was built without them. Put an implementation into a jar, name it in
 * {@code META-INF/services/dev.tallystick.engine.WorkflowProvider}, and put the jar where the process looks for it.
 */
public interface WorkflowProvider {

    List<WorkflowType<?, ?>> workflows();
}
