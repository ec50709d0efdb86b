package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Brings signals to the hooks of graphs. The jobs are locked, so a signal meets the wait, or the wait meets the signal. */
final class GraphSignals {

    private final GraphStore graphs;
    private final GraphWriter writer;

    GraphSignals(GraphStore graphs, GraphWriter writer) {
        this.graphs = graphs;
        this.writer = writer;
    }

    void deliver(Tx tx, Set<SentSignal.Id> kept) throws SQLException {
        if (kept.isEmpty()) {
            return;
        }
        List<SignalStore.Wait> waits = graphs.waits(tx, kept);
        if (!waits.isEmpty()) {
            List<GraphTransition> taken = writer.taken(tx, waits);
            if (!taken.isEmpty()) {
                writer.write(tx, taken);
            }
        }
    }
}
