package dev.tallystick.engine;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.graph.InvalidGraphException;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Loop;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Graphs stored in the database, to be run by every engine on it that uses this class.
 *
 * <p>Invariant: a version of a graph never changes. Its text is durable before any engine runs it; an engine that misses the
 * deployment, or dies right after it, finds the graph at its next refresh, at the latest when it starts. Thread-safe.
 */
public final class Deployments implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Deployments.class);
    private static final Duration STOPPING = Duration.ofSeconds(10);

    private final Database database;
    private final Engine engine;
    private final DeployedGraphStore store = new DeployedGraphStore();
    private final Loop loop;

    /** The queues of the graphs read so far, and whether each was removed. Guarded by this. */
    private final Map<String, Boolean> seen = new HashMap<>();

    private final Map<String, Disabled> disabled = new ConcurrentHashMap<>();

    /**
     * A deployed graph that cannot run here. Other processes run its jobs, if they understand it.
     *
     * @param reason in one line
     */
    public record Disabled(String workflow, int version, String reason) {}

    public Deployments(Database database, Engine engine, Duration poll) {
        this.database = database;
        this.engine = engine;
        this.loop = new Loop("deployments", poll, this::refresh);
    }

    /**
     * Registers all deployed graphs, and from now on those that others deploy. Call this after the process has registered its
     * own graphs. A graph that cannot run is disabled and does not stop the process from starting.
     *
     * @throws IllegalStateException if this process has registered something else under the name and version of a deployed
     *     graph: jobs would run differently from one process to the next
     */
    public void start() {
        refresh().stream().findFirst().ifPresent(clash -> {
            throw new IllegalStateException(clash);
        });
        loop.start();
    }

    /**
     * Deploys a graph. It is durable when this returns.
     *
     * @throws InvalidGraphException if the YAML is not a valid graph
     */
    public Deployment deploy(String yaml, String by) {
        Graph graph = GraphYaml.read("graph", yaml);
        if (isBroughtAlong(graph)) {
            return new Deployment.VersionTaken(graph.name(), graph.version(), "the server itself");
        }
        Deployment deployment = database.transact("deploy graph", tx -> {
            boolean fresh = store.insert(tx, graph, yaml, by) || store.restore(tx, graph, yaml);
            DeployedGraph kept = store.read(tx, graph.name(), graph.version()).orElseThrow();
            return kept.yaml().equals(yaml)
                    ? new Deployment.Deployed(kept, !fresh)
                    : new Deployment.VersionTaken(kept.name(), kept.version(), kept.by());
        });
        if (deployment instanceof Deployment.Deployed deployed) {
            Optional<String> unused = adopt(deployed.graph());
        }
        return deployment;
    }

    /**
     * Stops starting jobs of a deployed graph: here at once, in other processes soon. Open jobs run to their end, and the
     * version stays taken. Deploying the same text again reverses this.
     *
     * @return the graph removed now or earlier; empty if no such graph was deployed
     */
    public Optional<DeployedGraph> remove(String name, int version) {
        Optional<DeployedGraph> removed = database.transact("remove graph", tx -> {
            store.remove(tx, name, version);
            return store.read(tx, name, version);
        });
        removed.ifPresent(graph -> {
            Optional<String> unused = adopt(graph);
        });
        return removed;
    }

    /** The graphs that cannot run here, by name and version. */
    public List<Disabled> disabled() {
        return disabled.values().stream()
                .sorted(Comparator.comparing(Disabled::workflow).thenComparingInt(Disabled::version))
                .toList();
    }

    public Optional<DeployedGraph> find(String name, int version) {
        return database.read("read graph", tx -> store.read(tx, name, version));
    }

    /**
     * Registers graphs that others have deployed since. This also happens periodically.
     *
     * @return conflicts with something else registered here under the same name and version
     */
    public synchronized List<String> refresh() {
        return database.read("look for graphs", tx -> store.others(tx, seen)).stream()
                .flatMap(graph -> adopt(graph).stream())
                .toList();
    }

    @Override
    public void close() {
        loop.end();
        loop.awaitEnd(STOPPING);
    }

    private synchronized boolean isBroughtAlong(Graph graph) {
        return !seen.containsKey(graph.queue()) && differsHere(graph);
    }

    private boolean differsHere(Graph graph) {
        return engine.isRegistered(graph.queue()) && !graph.equals(engine.graph(graph.queue()));
    }

    /** Registers the graph, or returns why it cannot be. */
    private synchronized Optional<String> adopt(DeployedGraph deployed) {
        String queue = deployed.queue();
        seen.put(queue, deployed.isRemoved());
        disabled.remove(queue);
        try {
            Graph graph = GraphYaml.read("graph", deployed.yaml());
            if (differsHere(graph)) {
                String clash = "workflow '" + deployed.name() + "' version " + deployed.version() + " was deployed by "
                        + deployed.by()
                        + " and is not what this process brings along: give one of them another version";
                LOG.error(clash);
                return Optional.of(clash);
            }
            if (!engine.isRegistered(queue)) {
                engine.register(graph);
                LOG.info("runs the deployed graph {}", queue);
            }
            engine.startJobsOf(queue, !deployed.isRemoved());
        } catch (RuntimeException | StackOverflowError e) {
            disable(deployed, e);
        }
        return Optional.empty();
    }

    /** A graph that cannot run must not stop the others from running. */
    private void disable(DeployedGraph deployed, Throwable failure) {
        String reason = failure instanceof InvalidGraphException invalid
                ? String.join("; ", invalid.problems())
                : Failures.describe(failure);
        if (!deployed.isRemoved()) {
            disabled.put(deployed.queue(), new Disabled(deployed.name(), deployed.version(), reason));
            LOG.error(
                    "the deployed graph {} is disabled: {}; deploy a version that is right, and remove this one with"
                            + " 'tally workflow remove'",
                    deployed.queue(),
                    reason);
        }
    }
}
