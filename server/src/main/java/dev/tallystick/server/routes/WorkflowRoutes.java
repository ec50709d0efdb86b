package dev.tallystick.server.routes;

import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.WorkflowApi.DeployGraph;
import dev.tallystick.core.api.WorkflowApi.WorkflowList;
import dev.tallystick.core.api.WorkflowApi.WorkflowShown;
import dev.tallystick.core.api.WorkflowApi.WorkflowVersion;
import dev.tallystick.engine.DeployedGraph;
import dev.tallystick.engine.Deployment;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.graph.InvalidGraphException;
import dev.tallystick.engine.submit.JobStarter;
import dev.tallystick.server.http.Access;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The workflows of the installation, and the graphs that are deployed while it runs. All meshes may use them. */
public final class WorkflowRoutes {

    private static final String PATH = "/v1/workflows";

    private final Workflows workflows;

    public WorkflowRoutes(Workflows workflows) {
        this.workflows = workflows;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PATH, this::list)
                        .summary(
                                "The workflows that this server can start, with their versions; and deployed graphs that it"
                                        + " cannot run.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("workflow", "only the versions of this one")
                        .answers(WorkflowList.class),
                Route.get(PATH + "/{name}/{version}", this::show)
                        .summary("A version of a workflow; of a graph, also what it says.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(WorkflowShown.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.put(PATH + "/{name}/{version}", DeployGraph.class, this::deploy)
                        .summary(
                                "Deploy a graph to all servers on this database. A version never changes: the same graph"
                                        + " again is welcome, another one is refused.")
                        .access(Access.operators())
                        .answers(WorkflowShown.class)
                        .statuses(201, 200)
                        .refuses(ProblemCode.GRAPH_REFUSED, ProblemCode.VERSION_TAKEN),
                Route.delete(PATH + "/{name}/{version}", this::remove)
                        .summary("Start no more jobs of a deployed graph. Open jobs run to their end.")
                        .access(Access.operators())
                        .answers(WorkflowShown.class)
                        .refuses(ProblemCode.NOT_FOUND));
    }

    private Answer list(Call call) {
        String wanted = call.parameter("workflow");
        return Answer.ok(new WorkflowList(Stream.concat(
                        workflows.intake().known().stream()
                                .map(known ->
                                        new WorkflowVersion(known.workflow(), known.version(), kind(known), null)),
                        workflows.deployments().disabled().stream()
                                .map(disabled -> new WorkflowVersion(
                                        disabled.workflow(), disabled.version(), "graph", disabled.reason())))
                .filter(known -> wanted == null || wanted.equals(known.workflow()))
                .toList()));
    }

    private Answer show(Call call) {
        String name = call.name("name");
        int version = version(call).orElseThrow(Call::notFound);
        Optional<DeployedGraph> deployed = workflows.deployments().find(name, version);
        if (deployed.isPresent()) {
            return Answer.ok(shown(deployed.get()));
        }
        return workflows.intake().known().stream()
                .filter(known -> known.workflow().equals(name) && known.version() == version)
                .findFirst()
                .map(known -> Answer.ok(broughtAlong(known)))
                .orElseThrow(Call::notFound);
    }

    private static WorkflowShown broughtAlong(JobStarter.Known known) {
        Graph graph = known.graph();
        return new WorkflowShown(
                known.workflow(),
                known.version(),
                kind(known),
                graph == null ? null : GraphYaml.write(graph),
                null,
                null,
                null);
    }

    private Answer deploy(Call call, DeployGraph wanted) {
        Graph graph = read(wanted.graph());
        if (!graph.name().equals(call.name("name"))
                || version(call).filter(number -> number == graph.version()).isEmpty()) {
            throw new Problem(
                    ProblemCode.GRAPH_REFUSED,
                    "the graph is " + graph.name() + " version " + graph.version() + ", and the path says otherwise");
        }
        String by = call.member().name();
        return switch (workflows.deployments().deploy(wanted.graph(), by)) {
            case Deployment.Deployed deployed -> Answer.of(deployed.before() ? 200 : 201, shown(deployed.graph()));
            case Deployment.VersionTaken taken ->
                throw new Problem(
                        ProblemCode.VERSION_TAKEN,
                        "version " + taken.version() + " of " + taken.name() + " was deployed by " + taken.by()
                                + " and says something else: deploy yours as another version");
        };
    }

    private Answer remove(Call call) {
        String name = call.name("name");
        return version(call)
                .flatMap(version -> workflows.deployments().remove(name, version))
                .map(removed -> Answer.ok(shown(removed)))
                .orElseThrow(() -> new Problem(
                        ProblemCode.NOT_FOUND,
                        "no graph was deployed as " + name + " in this version; what comes with a server is removed"
                                + " from its directory"));
    }

    private static Graph read(String yaml) {
        try {
            return GraphYaml.read("graph", yaml);
        } catch (InvalidGraphException e) {
            throw new Problem(ProblemCode.GRAPH_REFUSED, String.valueOf(e.getMessage()))
                    .with(
                            "problems",
                            new Json.ArrayValue(
                                    e.problems().stream().<Json>map(Json::of).toList()));
        }
    }

    private static Optional<Integer> version(Call call) {
        try {
            return Optional.of(Integer.parseInt(call.name("version")));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static String kind(JobStarter.Known known) {
        return known.graph() == null ? "code" : "graph";
    }

    private static WorkflowShown shown(DeployedGraph graph) {
        return new WorkflowShown(
                graph.name(), graph.version(), "graph", graph.yaml(), graph.by(), graph.at(), graph.removedAt());
    }
}
