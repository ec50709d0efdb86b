package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Delivers signals to hooks of graphs. The jobs are locked, so the signal finds the wait or the wait finds the signal. */
final class GraphSignals {

    private final GraphStore graphs;
    private final PostingStore postings;
    private final GraphWriter writer;
    private final Predicate<String> registered;

    /** @param registered whether a graph, by its queue, runs here; other processes take the signals for the others */
    GraphSignals(GraphStore graphs, PostingStore postings, GraphWriter writer, Predicate<String> registered) {
        this.graphs = graphs;
        this.postings = postings;
        this.writer = writer;
        this.registered = registered;
    }

    /** @param keptOnly jobs that must not proceed in this transaction, because it cannot include what follows */
    void deliver(Tx tx, Set<SentSignal.Id> kept, Set<JobId> keptOnly) throws SQLException {
        if (kept.isEmpty()) {
            return;
        }
        List<SignalStore.Wait> waits = graphs.waits(tx, kept);
        List<GraphTransition> taken = waits.isEmpty() ? List.of() : writer.taken(tx, waits);
        if (taken.isEmpty()) {
            return;
        }
        Set<JobId> known = known(
                tx,
                taken.stream()
                        .map(GraphTransition::job)
                        .filter(job -> !keptOnly.contains(job))
                        .toList());
        List<GraphTransition> here =
                taken.stream().filter(each -> known.contains(each.job())).toList();
        if (!here.isEmpty()) {
            writer.write(tx, here);
        }
        leaveToOthers(
                tx, taken.stream().filter(each -> !known.contains(each.job())).toList());
    }

    /** The jobs whose graphs are registered here. */
    private Set<JobId> known(Tx tx, List<JobId> asked) throws SQLException {
        return graphs.jobs(tx, asked).values().stream()
                .filter(job -> registered.test(Queues.of(job.workflow(), job.version())))
                .map(GraphStore.Job::id)
                .collect(Collectors.toSet());
    }

    /** Makes the wait, which has its signal, due for an engine that knows the graph. */
    private void leaveToOthers(Tx tx, List<GraphTransition> unknown) throws SQLException {
        if (!unknown.isEmpty()) {
            postings.wake(tx, unknown.stream().map(GraphTransition::posting).toList());
        }
    }
}
