package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.sql.Database;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of what other processes on this database have registered. Refreshing it reads the database and must not happen inside
 * a transaction; everything else is answered from memory. Thread-safe.
 */
public final class RemoteWorkflows {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteWorkflows.class);

    private final Database database;
    private final long fresh;
    private final WorkflowStore store = new WorkflowStore();

    /** By queue. */
    private volatile Map<String, Registered> known = Map.of();

    private volatile boolean looked;
    private volatile long lookedAt;

    /** @param fresh how long cached registrations count as current */
    RemoteWorkflows(Database database, Duration fresh) {
        this.database = database;
        this.fresh = fresh.toNanos();
    }

    /**
     * A workflow that another process has registered.
     *
     * @param graph null for code, and for a graph that cannot be read here
     */
    public record Registered(
            WorkflowStore.Row row, @Nullable GraphType graph) {

        /** Whether jobs of it may start. */
        boolean isUsable() {
            return !row.removed() && (row.yaml() == null || graph != null);
        }
    }

    /** Refreshes the cache unless it is fresh. */
    public void look() {
        if (!looked || System.nanoTime() - lookedAt > fresh) {
            lookAgain();
        }
    }

    /** Refreshes the cache even if it is fresh, for a caller that misses something new. */
    public synchronized void lookAgain() {
        Map<String, Registered> now = new HashMap<>();
        for (WorkflowStore.Row row : database.transact("look for workflows", store::all)) {
            Registered before = known.get(row.queue());
            now.put(row.queue(), before != null && before.row().equals(row) ? before : read(row));
        }
        known = now;
        lookedAt = System.nanoTime();
        looked = true;
    }

    private static Registered read(WorkflowStore.Row row) {
        String yaml = row.yaml();
        if (yaml == null) {
            return new Registered(row, null);
        }
        try {
            return new Registered(row, GraphType.of(GraphYaml.read("graph", yaml)));
        } catch (RuntimeException | StackOverflowError e) {
            // Most likely a newer process has registered this graph. Processes that understand it run its jobs.
            LOG.warn("the graph {} is left to others: {}", row.queue(), e.getMessage());
            return new Registered(row, null);
        }
    }

    @Nullable
    public Registered find(String queue) {
        Registered found = known.get(queue);
        return found != null && found.isUsable() ? found : null;
    }

    @Nullable
    public Registered newest(String workflow) {
        return known.values().stream()
                .filter(each -> each.row().name().equals(workflow) && each.isUsable())
                .max(Comparator.comparingInt(each -> each.row().version()))
                .orElse(null);
    }

    @Nullable
    GraphType graph(String queue) {
        Registered found = known.get(queue);
        return found == null ? null : found.graph();
    }

    public Collection<Registered> all() {
        return known.values();
    }
}
