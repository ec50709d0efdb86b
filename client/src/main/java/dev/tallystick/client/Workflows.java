package dev.tallystick.client;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workflows of a server. Thread-safe. */
public final class Workflows {

    private static final String PATH = "/v1/workflows";

    private final Transport transport;

    Workflows(Transport transport) {
        this.transport = transport;
    }

    /**
     * A version of a workflow.
     *
     * @param kind {@code code} or {@code graph}
     * @param disabled why the server cannot run this graph; null if it can start it
     */
    public record Version(
            String workflow,
            int version,
            String kind,
            @Nullable String disabled) {

        static Version of(Fields fields) {
            return new Version(
                    fields.text("workflow"),
                    fields.count("version"),
                    fields.text("kind"),
                    fields.optionalText("disabled"));
        }
    }

    /**
     * A version of a workflow, with its graph.
     *
     * @param kind {@code code} or {@code graph}
     * @param graph in YAML; null for code
     * @param deployedBy null if it came with a server
     * @param deployedAt null if it came with a server
     * @param removedAt since when no jobs of it are started; null if it was not removed
     */
    public record Shown(
            String workflow,
            int version,
            String kind,
            @Nullable String graph,
            @Nullable String deployedBy,
            @Nullable Instant deployedAt,
            @Nullable Instant removedAt) {

        static Shown of(Fields fields) {
            return new Shown(
                    fields.text("workflow"),
                    fields.count("version"),
                    fields.text("kind"),
                    fields.optionalText("graph"),
                    fields.optionalText("deployed_by"),
                    fields.optionalText("deployed_at", Instant::parse),
                    fields.optionalText("removed_at", Instant::parse));
        }
    }

    /** All workflows that the server can start, and deployed graphs that it cannot run. */
    public List<Version> list() {
        return versions(new Query(PATH));
    }

    /** The versions of a workflow; empty if there is none of that name. */
    public List<Version> versions(String workflow) {
        return versions(new Query(PATH).with("workflow", workflow));
    }

    public Shown find(String workflow, int version) {
        return transport.ask(Request.get(path(workflow, version)), Shown::of);
    }

    /**
     * Deploys a graph to all servers on this server's database. Deploying the same graph again is fine; a different graph under
     * the same version is refused.
     *
     * @param yaml a graph of this name and version
     */
    public Shown deploy(String workflow, int version, String yaml) {
        return transport.ask(
                Request.put(
                        path(workflow, version), new Body().with("graph", yaml).json()),
                answer -> Shown.of(answer.about("workflow", workflow)));
    }

    /**
     * Removes a deployed graph: no more jobs of it are started. Open jobs run to their end, and the version stays taken;
     * deploying the same graph again undoes the removal.
     */
    public Shown remove(String workflow, int version) {
        return transport.ask(
                Request.delete(path(workflow, version)), answer -> Shown.of(answer.about("workflow", workflow)));
    }

    private List<Version> versions(Query query) {
        return transport.ask(query.read(), answer -> answer.list("workflows", Version::of));
    }

    private static String path(String workflow, int version) {
        return PATH + "/" + Query.encode(workflow) + "/" + version;
    }
}
