package dev.tallystick.server;

import dev.tallystick.engine.Deployments;
import dev.tallystick.engine.Intake;
import dev.tallystick.engine.UnknownWorkflowException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workflows that this server can start, including those that were just deployed through another server. */
final class Workflows {

    private final Intake intake;
    private final Deployments deployments;

    Workflows(Intake intake, Deployments deployments) {
        this.intake = intake;
        this.deployments = deployments;
    }

    Deployments deployments() {
        return deployments;
    }

    Intake intake() {
        return intake;
    }

    /**
     * The version that a job would get.
     *
     * @param wanted a specific version, or null for the newest
     * @throws UnknownWorkflowException if there is no such workflow, or not in that version
     */
    int version(String workflow, @Nullable Integer wanted) {
        try {
            return intake.version(workflow, wanted);
        } catch (UnknownWorkflowException e) {
            List<String> unused = deployments.refresh();
            return intake.version(workflow, wanted);
        }
    }
}
