package dev.tallystick.engine;

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
 * Graphs that are kept in the database, for every engine on it that looks here to run.
 *
 * <p>Invariant: a version of a graph never changes. Its text is durable before any engine runs it; an engine that misses the
 * moment, or dies after it, finds the graph the next time it looks, at the latest when it starts. Thread-safe.
 */
public final class Deployments implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Deployments.class);
    private static final Duration STOPPING = Duration.ofSeconds(10);

    private final Database database;
    private final Engine engine;
    private final DeployedGraphStore store = new DeployedGraphStore();
    private final Loop loop;

    /** The queues of what was looked at, and of each whether it was removed. Guarded by this. */
    private final Map<String, Boolean> seen = new HashMap<>();

    private final Map<String, Disabled> disabled = new ConcurrentHashMap<>();

    /**
     * A graph that was deployed and cannot be run here. Its jobs are for others, if any understand it.
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
     * Registers what was deployed, and from now on what others deploy. What this process brings along is registered before. A graph
     * that cannot be run is disabled, and keeps no process from starting.
     *
     * @throws IllegalStateException if this process brings something else along under the name and version of a deployed
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
     * @throws InvalidGraphException if it is none
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
     * Starts no more jobs of a deployed graph: here at once, in other processes soon. Those that are open go on to their end, and
     * the version stays taken. To deploy the same text once more takes this back.
     *
     * @return what was removed, now or before; empty if no such graph was deployed
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

    /** What cannot be run here, by name and version. */
    public List<Disabled> disabled() {
        return disabled.values().stream()
                .sorted(Comparator.comparing(Disabled::workflow).thenComparingInt(Disabled::version))
                .toList();
    }

    public Optional<DeployedGraph> find(String name, int version) {
        return database.transact("read graph", tx -> store.read(tx, name, version));
    }

    /**
     * Registers what others have deployed since. It is done by itself every now and then.
     *
     * @return what could not be registered, because something else is registered here under the same name and version
     */
    public synchronized List<String> refresh() {
        return database.transact("look for graphs", tx -> store.others(tx, seen)).stream()
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

    /** Registers it; or else says why not. */
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

    /** One graph that cannot be run is no reason not to run the others. */
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
