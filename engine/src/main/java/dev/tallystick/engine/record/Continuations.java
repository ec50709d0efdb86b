package dev.tallystick.engine.record;

import dev.tallystick.engine.model.JobView;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Follows jobs that continued as new ones. Requests to any job of a chain go to the newest; a request that arrives while a job
 * continues is repeated for its successor.
 */
public final class Continuations {

    private final ContinuationStore store = new ContinuationStore();
    private final PostingStore postings;
    private final JobStore jobs;

    public Continuations(PostingStore postings, JobStore jobs) {
        this.postings = postings;
        this.jobs = jobs;
    }

    /** The newest job of the chain of {@code job}: itself or its successor. */
    public JobId newest(Tx tx, JobId job) throws SQLException {
        return store.newest(tx, List.of(job)).getOrDefault(job, job);
    }

    /** The newest job for each of these that continued as a new one. */
    public Map<JobId, JobId> successors(Tx tx, Collection<JobId> asked) throws SQLException {
        return asked.isEmpty() ? Map.of() : store.newest(tx, asked);
    }

    /** Asks to cancel each chain's newest job. One that continues between the two statements is followed once more. */
    public void cancel(Tx tx, Collection<JobId> asked) throws SQLException {
        cancel(tx, asked, postings::postCancel);
    }

    /** As {@link #cancel(Tx, Collection)}, for a job of this mesh in a transaction that does nothing else. */
    public void askCancel(Tx tx, String mesh, JobId asked) throws SQLException {
        cancel(tx, List.of(asked), (transaction, jobs) -> postings.askCancel(transaction, mesh, jobs));
    }

    private interface Asking {
        void askFor(Tx tx, List<JobId> jobs) throws SQLException;
    }

    private void cancel(Tx tx, Collection<JobId> asked, Asking asking) throws SQLException {
        Map<JobId, JobId> became = successors(tx, asked);
        List<JobId> meant = asked.stream()
                .map(job -> became.getOrDefault(job, job))
                .distinct()
                .toList();
        while (!meant.isEmpty()) {
            asking.askFor(tx, meant);
            meant = List.copyOf(successors(tx, meant).values());
        }
    }

    /** The outcomes of the jobs that have closed, by the ID that was asked for. */
    Map<JobId, Closed> ends(Tx tx, Collection<JobId> asked) throws SQLException {
        Map<JobId, Closed> ends = new HashMap<>();
        List<JobId> wentOn = new ArrayList<>(asked);
        for (JobView job : jobs.closedAmong(tx, asked)) {
            if (!job.wentOn()) {
                ends.put(job.id(), job.closed());
                wentOn.remove(job.id());
            }
        }
        Map<JobId, JobId> became = successors(tx, wentOn);
        Map<JobId, Closed> closed = new HashMap<>();
        if (!became.isEmpty()) {
            jobs.closedAmong(tx, became.values()).stream()
                    .filter(job -> !job.wentOn())
                    .forEach(job -> closed.put(job.id(), job.closed()));
        }
        became.forEach((job, newest) -> {
            Closed end = closed.get(newest);
            if (end != null) {
                ends.put(job, end);
            }
        });
        return ends;
    }
}
