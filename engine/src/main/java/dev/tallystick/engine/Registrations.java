package dev.tallystick.engine;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.graph.run.WorkflowStore;
import dev.tallystick.sql.Database;
import dev.tallystick.workflow.WorkflowType;

/**
 * Announces this process's registrations to the other processes on the database, so that they can submit its jobs and work on
 * its topics. Thread-safe; calls block.
 */
public final class Registrations {

    private final Database database;
    private final WorkflowStore store = new WorkflowStore();

    public Registrations(Database database) {
        this.database = database;
    }

    public void add(WorkflowType<?, ?> type) {
        save(new WorkflowStore.Row(type.name(), type.version(), null, type.limit() != null));
    }

    public void add(Graph graph) {
        save(new WorkflowStore.Row(graph.name(), graph.version(), GraphYaml.write(graph), false));
    }

    private void save(WorkflowStore.Row row) {
        database.transact("register workflow", tx -> {
            store.save(tx, row);
            return null;
        });
    }
}
