package dev.tallystick.server.routes;

import dev.tallystick.engine.Deployments;
import dev.tallystick.engine.submit.JobStarter;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workflows that this server can start, including those that were just deployed through another server. */
public final class Workflows {

    private final JobStarter jobStarter;
    private final Deployments deployments;

    public Workflows(JobStarter jobStarter, Deployments deployments) {
        this.jobStarter = jobStarter;
        this.deployments = deployments;
    }

    Deployments deployments() {
        return deployments;
    }

    JobStarter intake() {
        return jobStarter;
    }

    /**
     * The version that a job would get.
     *
     * @param wanted a specific version, or null for the newest
     * @throws UnknownWorkflowException if there is no such workflow, or not in that version
     */
    int version(String workflow, @Nullable Integer wanted) {
        try {
            return jobStarter.version(workflow, wanted);
        } catch (UnknownWorkflowException e) {
            List<String> unused = deployments.refresh();
            return jobStarter.version(workflow, wanted);
        }
    }
}
