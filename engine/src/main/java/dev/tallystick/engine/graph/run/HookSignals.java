package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Delivers signals to hooks of graphs. The jobs are locked, so the signal finds the wait or the wait finds the signal. */
public final class HookSignals {

    private final NodeStore graphs;
    private final PostingStore postings;
    private final TransitionWriter writer;
    private final Predicate<String> registered;

    /** @param registered whether a graph, by its queue, runs here; other processes take the signals for the others */
    public HookSignals(NodeStore graphs, PostingStore postings, TransitionWriter writer, Predicate<String> registered) {
        this.graphs = graphs;
        this.postings = postings;
        this.writer = writer;
        this.registered = registered;
    }

    /**
     * Gives kept signals to the hooks that wait for them.
     *
     * @param keptOnly jobs that must not proceed in this transaction, because it cannot include what follows
     */
    public void deliver(Tx tx, Set<SentSignal.Id> kept, Set<JobId> keptOnly) throws SQLException {
        if (kept.isEmpty()) {
            return;
        }
        List<SignalStore.Wait> waits = graphs.waits(tx, kept);
        List<NodeTransition> taken = waits.isEmpty() ? List.of() : writer.taken(tx, waits);
        if (taken.isEmpty()) {
            return;
        }
        Set<JobId> known = known(
                tx,
                taken.stream()
                        .map(NodeTransition::job)
                        .filter(job -> !keptOnly.contains(job))
                        .toList());
        List<NodeTransition> here =
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
                .map(NodeStore.Job::id)
                .collect(Collectors.toSet());
    }

    /** Makes the wait, which has its signal, due for an engine that knows the graph. */
    private void leaveToOthers(Tx tx, List<NodeTransition> unknown) throws SQLException {
        if (!unknown.isEmpty()) {
            postings.wake(tx, unknown.stream().map(NodeTransition::posting).toList());
        }
    }
}
