package dev.tallystick.engine;

import dev.tallystick.sql.Database;

/**
 * Tells other processes on a database what is registered here, so that they can submit jobs of it and do work for its topics.
 * Thread-safe; calls block.
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
