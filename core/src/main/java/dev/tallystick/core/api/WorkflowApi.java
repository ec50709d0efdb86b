package dev.tallystick.core.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workflows of a server: list, show, deploy, remove. */
public interface WorkflowApi {

    /**
     * A version of a workflow.
     *
     * @param kind {@code code} or {@code graph}
     * @param disabled why the server cannot run this graph; null if it can start it
     */
    record WorkflowVersion(
            String workflow,
            int version,
            String kind,
            @Nullable String disabled) {}

    record WorkflowList(List<WorkflowVersion> workflows) {}

    /**
     * A graph to deploy.
     *
     * @param graph in YAML
     */
    record DeployGraph(String graph) {}

    /**
     * A version of a workflow, with its graph.
     *
     * @param kind {@code code} or {@code graph}
     * @param graph in YAML; null for code
     * @param deployedBy null if it came with a server
     * @param deployedAt null if it came with a server
     * @param removedAt since when no jobs of it are started; null if it was not removed
     */
    record WorkflowShown(
            String workflow,
            int version,
            String kind,
            @Nullable String graph,
            @Nullable String deployedBy,
            @Nullable Instant deployedAt,
            @Nullable Instant removedAt) {}
}
