package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Those who wait for jobs to close. What closes in this process is told at once; the rest is asked for at intervals. */
final class Outcomes {

    private final Database database;
    private final Chains chains;
    private final ConcurrentHashMap<JobId, Waiters> waiting = new ConcurrentHashMap<>();

    /** Those who wait for one job: the last to leave takes the entry away, and none before. */
    private record Waiters(CompletableFuture<Closed> end, int number) {

        Waiters plus(int more) {
            return new Waiters(end, number + more);
        }
    }

    Outcomes(Database database, Chains chains) {
        this.database = database;
        this.chains = chains;
    }

    /** Completes when the job is closed. Whoever no longer waits calls {@link #forget}. */
    CompletableFuture<Closed> of(JobId job) {
        return waiting.merge(job, new Waiters(new CompletableFuture<>(), 1), (known, mine) -> known.plus(1))
                .end();
    }

    void forget(JobId job) {
        waiting.computeIfPresent(job, (id, known) -> known.number() == 1 ? null : known.plus(-1));
    }

    void tell(Closed closed) {
        tell(closed.job(), closed);
    }

    private void tell(JobId asked, Closed closed) {
        Waiters told = waiting.remove(asked);
        if (told != null) {
            told.end().complete(closed);
        }
    }

    /**
     * Waits for the end of the job; empty if it is still open after {@code patience}.
     *
     * @param isHere whether it runs in this process, and will be told of
     */
    Optional<Closed> await(JobId job, Duration patience, boolean isHere) throws InterruptedException {
        CompletableFuture<Closed> end = of(job);
        if (!isHere) {
            look(job);
        }
        try {
            return Optional.of(end.get(patience.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            forget(job);
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IllegalStateException("an outcome never fails", e);
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
        database.transact("look for closed jobs", tx -> chains.ends(tx, asked)).forEach(this::tell);
    }
}
