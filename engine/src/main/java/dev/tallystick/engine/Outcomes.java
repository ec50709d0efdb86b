package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Those who wait for jobs to close. What closes in this process is told at once; the rest is asked for at intervals. */
final class Outcomes {

    private final Database database;
    private final JobStore jobs;
    private final ConcurrentHashMap<JobId, CompletableFuture<Closed>> waiting = new ConcurrentHashMap<>();

    Outcomes(Database database, JobStore jobs) {
        this.database = database;
        this.jobs = jobs;
    }

    /** Completes when the job is closed. Whoever no longer waits calls {@link #forget}. */
    CompletableFuture<Closed> of(JobId job) {
        return waiting.computeIfAbsent(job, id -> new CompletableFuture<>());
    }

    void forget(JobId job) {
        waiting.remove(job);
    }

    void tell(Closed closed) {
        CompletableFuture<Closed> future = waiting.remove(closed.job());
        if (future != null) {
            future.complete(closed);
        }
    }

    /** Asks the database about all who are waited for. */
    void look() {
        Set<JobId> asked = Set.copyOf(waiting.keySet());
        if (!asked.isEmpty()) {
            look(asked);
        }
    }

    void look(JobId job) {
        look(Set.of(job));
    }

    private void look(Set<JobId> asked) {
        List<JobView> closed = database.transact("look for closed jobs", tx -> jobs.closedAmong(tx, asked));
        closed.forEach(job -> tell(job.closed()));
    }
}
