package dev.tallystick.engine.submit;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.run.GraphForks;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ClosedActivity;
import dev.tallystick.engine.model.DeadLetter;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.RepeatedLanes;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.DeadLetterStore;
import dev.tallystick.engine.record.JobAcceptor;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.RerunStore;
import dev.tallystick.keys.Accept;
import dev.tallystick.keys.AcceptClaim;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.ForkRefusedException;
import dev.tallystick.workflow.ForkRefusedException.Reason;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.UnknownJobException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reruns and forks of closed jobs, and dead letters. A rerun starts over; a fork starts with the record up to one of the steps,
 * and calls external systems under the same keys. Both are jobs of their own: nothing sent to the old job is forwarded to them.
 * Thread-safe.
 */
public final class Reruns {

    private final Database database;
    private final CollationStore collation;
    private final JobStore jobs;
    private final JobMaker maker;
    private final AcceptKeys keys;
    private final GraphForks graphs;
    private final Runnable jobsAreDue;
    private final RerunStore store = new RerunStore();
    private final DeadLetterStore letters = new DeadLetterStore();

    public Reruns(
            Database database,
            CollationStore collation,
            JobStore jobs,
            JobMaker maker,
            AcceptKeys keys,
            GraphForks graphs,
            Runnable jobsAreDue) {
        this.database = database;
        this.collation = collation;
        this.jobs = jobs;
        this.maker = maker;
        this.keys = keys;
        this.graphs = graphs;
        this.jobsAreDue = jobsAreDue;
    }

    /**
     * Runs a closed job again from its beginning, in the newest version and under new keys.
     *
     * @return the new job
     * @throws ForkRefusedException if the job is open
     */
    public JobId rerun(String mesh, JobId job) {
        JobId id = maker.id();
        RepeatedLanes lanes = lanes(mesh, job);
        return begun(id, tx -> {
            start(tx, job, maker.rerun(id, job, closed(tx, mesh, job), lanes));
            return id;
        });
    }

    /**
     * Like {@link #rerun(String, JobId)}, for callers that may repeat the request: the same key gives the same new job.
     *
     * @throws UnknownJobException if the mesh of the key has no such job
     */
    public Accepted rerun(JobId job, ScopedKey key, Also also) {
        Fingerprint request = Fingerprint.of("rerun", job.toString());
        RepeatedLanes lanes = lanes(key.scope().mesh(), job);
        return underKey(
                job,
                key,
                request,
                also,
                (tx, source, id) ->
                        start(tx, job, maker.rerun(id, job, source, lanes).underKey(key)));
    }

    /**
     * Runs a closed job again starting at one of its steps, in the same version and under the same keys. Everything before that
     * step is taken from the record.
     *
     * @param step its name, or its place if several steps have that name; in a graph a node, or {@code node@dimension}
     * @return the new job
     * @throws ForkRefusedException if the job is open, has no such step, or cannot be forked
     */
    public JobId fork(String mesh, JobId job, String step) {
        JobId id = maker.id();
        RepeatedLanes lanes = lanes(mesh, job);
        return begun(id, tx -> {
            forkAt(tx, new Fork(closed(tx, mesh, job), job, id, lanes, null), step);
            return id;
        });
    }

    /**
     * Like {@link #fork(String, JobId, String)}, for callers that may repeat the request: the same key gives the same new job.
     *
     * @throws UnknownJobException if the mesh of the key has no such job
     */
    public Accepted fork(JobId job, String step, ScopedKey key, Also also) {
        Fingerprint request = Fingerprint.of("fork", job.toString(), step);
        RepeatedLanes lanes = lanes(key.scope().mesh(), job);
        return underKey(
                job, key, request, also, (tx, source, id) -> forkAt(tx, new Fork(source, job, id, lanes, key), step));
    }

    /**
     * Runs a failed job again from where it failed. Only once: redriving the same letter again returns the same job. A job
     * whose steps were undone runs again from its beginning.
     *
     * @return the new job
     * @throws ForkRefusedException if the job is not a dead letter, or cannot be forked there
     */
    public JobId redrive(String mesh, JobId job) {
        return redrive(mesh, job, Also.NOTHING);
    }

    public JobId redrive(String mesh, JobId job, Also also) {
        JobId id = maker.id();
        RepeatedLanes lanes = lanes(mesh, job);
        return begun(id, tx -> {
            RerunStore.Source source = closed(tx, mesh, job);
            Optional<JobId> before = letters.lock(tx, mesh, job)
                    .orElseThrow(() -> new ForkRefusedException(job, Reason.NO_LETTER, "is no dead letter"))
                    .redrivenAs();
            if (before.isPresent()) {
                return before.get();
            }
            if (source.undone()) {
                start(tx, job, maker.rerun(id, job, source, lanes));
            } else {
                Fork fork = new Fork(source, job, id, lanes, null);
                if (source.isGraph()) {
                    forkGraph(tx, fork, type -> graphs.beforeFailure(tx, type, job, id));
                } else {
                    forkCode(tx, fork, ForkPoint.beforeFailure(store.record(tx, job)));
                }
            }
            letters.redriven(tx, job, id);
            also.write(tx);
            return id;
        });
    }

    /** Failed jobs without a waiting parent that have not been redriven, oldest first. */
    public List<DeadLetter> deadLetters(String mesh, int limit) {
        return deadLetters(mesh, null, limit);
    }

    /** The next page; {@code after} is the last job of the previous page. */
    public List<DeadLetter> deadLetters(String mesh, @Nullable JobId after, int limit) {
        return database.read("read dead letters", tx -> letters.open(tx, mesh, after, limit));
    }

    /** The letter of a job of a mesh, even if it was redriven. */
    public Optional<DeadLetter> deadLetter(String mesh, JobId job) {
        return database.read("read dead letter", tx -> letters.read(tx, mesh, job));
    }

    /** Dismisses the letter; the job stays as it is. */
    public void discard(String mesh, JobId job, Also also) {
        database.transact("discard dead letter", tx -> {
            letters.discard(tx, mesh, job);
            also.write(tx);
            return null;
        });
    }

    private interface Part<T> {
        T write(Tx tx) throws SQLException;
    }

    private interface Again {
        void write(Tx tx, RerunStore.Source source, JobId id) throws SQLException;
    }

    /** The key, the new job and its initial record commit together; a refusal rolls back and so frees its key. */
    private Accepted underKey(JobId job, ScopedKey key, Fingerprint request, Also also, Again again) {
        JobId id = maker.id();
        return begun(id, tx -> {
            String mesh = key.scope().mesh();
            Optional<RerunStore.Source> seen = store.source(tx, mesh, job);
            if (seen.isEmpty()) {
                return repeated(tx, key, request).orElseThrow(() -> new UnknownJobException(job));
            }
            Destination workflow =
                    new Destination(Destination.Kind.WORKFLOW, seen.get().workflow());
            Accept bound = keys.accept(tx, List.of(new AcceptClaim(key, request, workflow, id.value())))
                    .getFirst();
            if (bound instanceof Accept.Fresh) {
                again.write(tx, closed(tx, mesh, job), id);
                also.write(tx);
            }
            return JobAcceptor.answer(bound);
        });
    }

    /** Answers a repeat whose original job is gone: the first answer is kept with the key. */
    private Optional<Accepted> repeated(Tx tx, ScopedKey key, Fingerprint request) throws SQLException {
        return Optional.ofNullable(keys.lookUp(tx, List.of(key)).get(key))
                .flatMap(entry -> entry.answering(request))
                .map(entry -> new Accepted.Duplicate(new JobId(entry.original())));
    }

    private RepeatedLanes lanes(String mesh, JobId job) {
        return database.read("read job", tx -> store.source(tx, mesh, job))
                .map(maker::lanesAgain)
                .orElseGet(() -> new RepeatedLanes(version -> null));
    }

    /**
     * A fork to be made.
     *
     * @param job the closed job, which is the source
     * @param id the new job
     */
    private record Fork(
            RerunStore.Source source,
            JobId job,
            JobId id,
            RepeatedLanes lanes,
            @Nullable ScopedKey key) {}

    private void forkAt(Tx tx, Fork fork, String step) throws SQLException {
        JobId job = fork.job();
        if (fork.source().undone()) {
            throw new ForkRefusedException(
                    job,
                    Reason.NOTHING_TO_GO_ON_FROM,
                    "has undone its steps, so there is nothing to continue from: rerun it");
        }
        if (fork.source().isGraph()) {
            forkGraph(tx, fork, type -> graphs.before(tx, type, job, fork.id(), step));
        } else {
            List<ClosedActivity> record = store.record(tx, job);
            forkCode(tx, fork, ForkPoint.before(record, find(job, record, step)));
        }
    }

    private <T> T begun(JobId id, Part<T> part) {
        T answer;
        try {
            answer = database.transact("begin job " + id, part::write);
        } catch (UnknownOutcomeException lost) {
            answer = begunOnceMore(id, part, lost);
        }
        jobsAreDue.run();
        return answer;
    }

    /** Writes the same again under the same id; existing rows stay unchanged. */
    private <T> T begunOnceMore(JobId id, Part<T> part, UnknownOutcomeException lost) {
        try {
            return database.transact("begin job " + id + " once more", part::write);
        } catch (TransactionException e) {
            lost.addSuppressed(e);
            throw lost;
        }
    }

    private RerunStore.Source closed(Tx tx, String mesh, JobId job) throws SQLException {
        store.lock(tx, mesh, job);
        RerunStore.Source source = store.source(tx, mesh, job).orElseThrow(() -> new UnknownJobException(job));
        if (!source.closed()) {
            throw new ForkRefusedException(job, Reason.OPEN, "is open: wait for its end, or cancel it");
        }
        return source;
    }

    private void forkCode(Tx tx, Fork fork, List<ClosedActivity> kept) throws SQLException {
        JobId id = fork.id();
        start(
                tx,
                fork.job(),
                maker.fork(id, fork.job(), fork.source(), null, fork.lanes()).underKey(fork.key()));
        store.fork(tx, fork.job(), id);
        if (!kept.isEmpty()) {
            collation.enter(
                    tx, kept.stream().map(closed -> dispatched(id, closed)).toList());
            collation.collate(tx, kept.stream().map(closed -> told(id, closed)).toList());
        }
    }

    private interface Recall {
        void write(GraphType type) throws SQLException;
    }

    /** The old job is locked, so a repeat after a lost reply finds the new job here, whether or not it has progressed. */
    private void forkGraph(Tx tx, Fork fork, Recall recall) throws SQLException {
        JobId job = fork.job();
        GraphType type = graphs.typeOf(fork.source(), job);
        if (jobs.read(tx, fork.id()).isEmpty()) {
            String trigger = type.graph().trigger().name();
            NewJob again = maker.fork(fork.id(), job, fork.source(), trigger, fork.lanes())
                    .underKey(fork.key());
            start(tx, job, again);
            graphs.demandTurn(tx, again, job);
            store.fork(tx, job, fork.id());
            recall.write(type);
        }
    }

    private void start(Tx tx, JobId from, NewJob again) throws SQLException {
        jobs.start(tx, List.of(again), Duration.ZERO);
        store.copySignals(tx, from, again.id());
    }

    private static LegOne dispatched(JobId id, ClosedActivity closedActivity) {
        return LegOne.attempt(
                new ActivityId(id, closedActivity.path(), closedActivity.name()),
                closedActivity.kind(),
                closedActivity.attempts());
    }

    private static LegTwo told(JobId id, ClosedActivity closedActivity) {
        return LegTwo.whole(
                new ActivityId(id, closedActivity.path(), closedActivity.name()),
                0,
                0,
                closedActivity.output(),
                closedActivity.error());
    }

    private static String find(JobId job, List<ClosedActivity> record, String step) {
        List<ClosedActivity> found = record.stream()
                .filter(closedActivity -> closedActivity.path().equals(step)
                        || closedActivity.name().equals(step))
                .filter(closedActivity ->
                        Character.isDigit(closedActivity.path().charAt(0)))
                .toList();
        if (found.size() == 1) {
            return Objects.requireNonNull(found.getFirst()).path();
        }
        String there = record.stream()
                .map(closedActivity -> closedActivity.name() + " at " + closedActivity.path())
                .limit(50)
                .collect(Collectors.joining(", "));
        throw new ForkRefusedException(
                job,
                Reason.NO_SUCH_STEP,
                found.isEmpty()
                        ? "has no step '" + step + "'; it has " + there
                        : "has several steps '" + step + "': name the place of one; it has " + there);
    }
}
