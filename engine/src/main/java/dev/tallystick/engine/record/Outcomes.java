package dev.tallystick.engine.record;

import dev.tallystick.sql.Database;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Callers that wait for jobs to close. Notified at once of jobs that close in this process; polls the database for the others.
 */
public final class Outcomes {

    private final Database database;
    private final Continuations continuations;
    private final ConcurrentHashMap<JobId, Waiters> waiting = new ConcurrentHashMap<>();

    /**
     * The callers waiting for one job. Only the last to leave removes the entry. Modified only inside the map's atomic
     * operations.
     */
    private static final class Waiters {

        private final CompletableFuture<Closed> end = new CompletableFuture<>();
        private int number = 1;

        Waiters plus(int more) {
            number += more;
            return this;
        }
    }

    public Outcomes(Database database, Continuations continuations) {
        this.database = database;
        this.continuations = continuations;
    }

    public void tell(Closed closed) {
        tell(closed.job(), closed);
    }

    private void tell(JobId asked, Closed closed) {
        Waiters told = waiting.remove(asked);
        if (told != null) {
            told.end.complete(closed);
        }
    }

    /**
     * Waits for the end of the job; empty if it is still open after {@code patience}.
     *
     * @param isHere whether the job runs in this process, which then reports its end
     */
    public Optional<Closed> await(JobId job, Duration patience, boolean isHere) throws InterruptedException {
        return await(job, patience, () -> {
            if (!isHere) {
                look(Set.of(job));
            }
        });
    }

    /**
     * Like {@link #await}, for a thread that may be interrupted: it only waits for the notification and never queries the
     * database.
     */
    public Optional<Closed> awaitNews(JobId job, Duration patience) throws InterruptedException {
        return await(job, patience, () -> {});
    }

    private Optional<Closed> await(JobId job, Duration patience, Runnable first) throws InterruptedException {
        Waiters mine = waiting.merge(job, new Waiters(), (known, another) -> known.plus(1));
        try {
            first.run();
            return Optional.of(mine.end.get(patience.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IllegalStateException("an outcome never fails", e);
        } finally {
            forget(job, mine);
        }
    }

    /** Callers that arrived after the notification have a new entry. */
    private void forget(JobId job, Waiters mine) {
        waiting.computeIfPresent(job, (id, known) -> {
            if (known != mine) {
                return known;
            }
            return known.number == 1 ? null : known.plus(-1);
        });
    }

    /** Queries the database for all awaited jobs. */
    public void look() {
        Set<JobId> asked = Set.copyOf(waiting.keySet());
        if (!asked.isEmpty()) {
            look(asked);
        }
    }

    private void look(Set<JobId> asked) {
        database.read("look for closed jobs", tx -> continuations.ends(tx, asked))
                .forEach(this::tell);
    }
}
