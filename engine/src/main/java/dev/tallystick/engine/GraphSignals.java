package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Brings signals to the hooks of graphs. The jobs are locked, so a signal meets the wait, or the wait meets the signal. */
final class GraphSignals {

    private final GraphStore graphs;
    private final PostingStore postings;
    private final GraphWriter writer;

    GraphSignals(GraphStore graphs, PostingStore postings, GraphWriter writer) {
        this.graphs = graphs;
        this.postings = postings;
        this.writer = writer;
    }

    void deliver(Tx tx, Set<SentSignal.Id> kept) throws SQLException {
        if (kept.isEmpty()) {
            return;
        }
        List<SignalStore.Wait> waits = graphs.waits(tx, kept);
        List<GraphTransition> taken = waits.isEmpty() ? List.of() : writer.taken(tx, waits);
        if (taken.isEmpty()) {
            return;
        }
        Set<JobId> known =
                writer.known(tx, taken.stream().map(GraphTransition::job).toList());
        List<GraphTransition> here =
                taken.stream().filter(each -> known.contains(each.job())).toList();
        if (!here.isEmpty()) {
            writer.write(tx, here);
        }
        leaveToOthers(
                tx, taken.stream().filter(each -> !known.contains(each.job())).toList());
    }

    /** The wait has its signal, and is due for an engine that knows the graph. */
    private void leaveToOthers(Tx tx, List<GraphTransition> unknown) throws SQLException {
        if (!unknown.isEmpty()) {
            postings.wake(tx, unknown.stream().map(GraphTransition::posting).toList());
        }
    }
}
