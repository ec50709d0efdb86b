package dev.tallystick.client;

import dev.tallystick.core.api.WorkflowApi.DeployGraph;
import dev.tallystick.core.api.WorkflowApi.WorkflowList;
import dev.tallystick.core.api.WorkflowApi.WorkflowShown;
import dev.tallystick.core.api.WorkflowApi.WorkflowVersion;
import java.util.List;

/** The workflows of a server. Thread-safe. */
public final class Workflows {

    private static final String PATH = "/v1/workflows";

    private final Transport transport;

    Workflows(Transport transport) {
        this.transport = transport;
    }

    /** All workflows that the server can start, and deployed graphs that it cannot run. */
    public List<WorkflowVersion> list() {
        return versions(new Query(PATH));
    }

    /** The versions of a workflow; empty if there is none of that name. */
    public List<WorkflowVersion> versions(String workflow) {
        return versions(new Query(PATH).with("workflow", workflow));
    }

    public WorkflowShown find(String workflow, int version) {
        return transport.ask(Request.get(path(workflow, version)), WorkflowShown.class);
    }

    /**
     * Deploys a graph to all servers on this server's database. Deploying the same graph again is fine; a different graph under
     * the same version is refused.
     *
     * @param yaml a graph of this name and version
     */
    public WorkflowShown deploy(String workflow, int version, String yaml) {
        return shown(workflow, Request.put(path(workflow, version), new DeployGraph(yaml)));
    }

    /**
     * Removes a deployed graph: no more jobs of it are started. Open jobs run to their end, and the version stays taken;
     * deploying the same graph again undoes the removal.
     */
    public WorkflowShown remove(String workflow, int version) {
        return shown(workflow, Request.delete(path(workflow, version)));
    }

    private WorkflowShown shown(String workflow, Request request) {
        return transport.ask(request, WorkflowShown.class, WorkflowShown::workflow, workflow);
    }

    private List<WorkflowVersion> versions(Query query) {
        return transport.ask(query.read(), WorkflowList.class).workflows();
    }

    private static String path(String workflow, int version) {
        return PATH + "/" + Query.encode(workflow) + "/" + version;
    }
}
