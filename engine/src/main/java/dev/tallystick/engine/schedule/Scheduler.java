package dev.tallystick.engine.schedule;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.UserCode;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.TurnStore;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Submission;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts jobs on schedule, by the database's clock. Any number of processes may do this at once.
 *
 * <p>Invariant: each moment of a schedule has at most one job, because its key is {@code schedule:<name>:<moment>}. The job,
 * its key and the schedule's next moment commit together, so none of them ever exists without the others.
 *
 * <p>Only a process that knows the workflow fires. Thread-safe.
 */
public final class Scheduler implements AutoCloseable {

    private static final int BATCH = 100;
    private static final Duration STOPPING = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

    /** A schedule whose limit has not computed its key by then misses a moment; the others still fire. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("tally-schedule-budget").start(task);

    private final Database database;
    private final Engine engine;
    private final Submitters submitters;
    private final SharedClock clock;
    private final Duration patience;
    private final CrashPoints crashPoints;
    private final ScheduleStore store = new ScheduleStore();
    private final TurnStore turns = new TurnStore();
    private final UserCode userCode = new UserCode();
    private final Loop loop;

    public Scheduler(Database database, Engine engine, Duration poll, CrashPoints crashPoints) {
        this(database, engine, Submitters.ALL, poll, crashPoints);
    }

    /** @param submitters schedules of members who are no longer among them do not fire */
    public Scheduler(Database database, Engine engine, Submitters submitters, Duration poll, CrashPoints crashPoints) {
        this(database, engine, submitters, SharedClock.DATABASE, PATIENCE, poll, crashPoints);
    }

    Scheduler(
            Database database,
            Engine engine,
            Submitters submitters,
            SharedClock clock,
            Duration poll,
            CrashPoints crashPoints) {
        this(database, engine, submitters, clock, PATIENCE, poll, crashPoints);
    }

    /** @param patience how long the keys of limits may take, for all schedules that are due */
    Scheduler(
            Database database,
            Engine engine,
            Submitters submitters,
            SharedClock clock,
            Duration patience,
            Duration poll,
            CrashPoints crashPoints) {
        this.database = database;
        this.engine = engine;
        this.submitters = submitters;
        this.clock = clock;
        this.patience = patience;
        this.crashPoints = crashPoints;
        this.loop = new Loop("schedules", poll, this::fireAll);
    }

    /** Begins to fire. Without this call, schedules are only stored for other processes to fire. */
    public void start() {
        loop.start();
        loop.ring();
    }

    /** Saves the schedule, replacing one of the same name. A paused schedule stays paused. Returns its new state. */
    public ScheduleView save(Schedule schedule) {
        return save(schedule, tx -> {});
    }

    /**
     * Like {@link #save(Schedule)}, if there is room. Saves in the same mesh take turns, so that each counts the others.
     *
     * @param room throws if the limit is reached
     */
    public ScheduleView saveWithin(Schedule schedule, Consumer<Others> room) {
        return save(schedule, tx -> {
            turns.take(tx, "tally.schedule " + schedule.scope().mesh());
            room.accept(store.countOthers(tx, schedule.scope(), schedule.name()));
        });
    }

    private interface Check {
        void in(Tx tx) throws SQLException;
    }

    private ScheduleView save(Schedule schedule, Check check) {
        ScheduleView saved = database.transact("save schedule", tx -> {
            check.in(tx);
            store.save(tx, schedule, schedule.cron().next(clock.now(tx), schedule.zone()));
            return view(tx, schedule.scope().mesh(), schedule.name()).orElseThrow();
        });
        loop.ring();
        return saved;
    }

    /** How many other schedules exist: the member's own, and all of the mesh. */
    public record Others(long ofMember, long ofMesh) {}

    /** All schedules, by name. */
    public List<ScheduleView> list(String mesh) {
        return list(mesh, null, Integer.MAX_VALUE);
    }

    /** A page of schedules, by name; {@code after} is the last one of the previous page. */
    public List<ScheduleView> list(String mesh, @Nullable String after, int limit) {
        return database.read("list schedules", tx -> store.list(tx, mesh, after, limit));
    }

    /** The definition of a schedule, without its state. */
    public Optional<Schedule> read(String mesh, String name) {
        return database.read("read schedule", tx -> store.read(tx, mesh, name)).map(ScheduleStore.Row::schedule);
    }

    public Optional<ScheduleView> find(String mesh, String name) {
        return database.read("read schedule", tx -> view(tx, mesh, name));
    }

    private Optional<ScheduleView> view(Tx tx, String mesh, String name) throws SQLException {
        return store.read(tx, mesh, name).map(ScheduleStore.Row::view);
    }

    /** Stops firing until it is resumed. Returns the new state, or empty if there is no such schedule. */
    public Optional<ScheduleView> pause(String mesh, String name) {
        return database.transact("pause schedule", tx -> {
            store.pause(tx, mesh, name);
            return view(tx, mesh, name);
        });
    }

    /** Fires again, starting with the next moment. Returns the new state, or empty if there is no such schedule. */
    public Optional<ScheduleView> resume(String mesh, String name) {
        return database.transact("resume schedule", tx -> {
            Optional<ScheduleStore.Row> row = store.lock(tx, mesh, name);
            if (row.isPresent() && row.get().view().isPaused()) {
                Schedule schedule = row.get().schedule();
                store.resume(tx, mesh, name, schedule.cron().next(clock.now(tx), schedule.zone()));
            }
            return view(tx, mesh, name);
        });
    }

    /** Jobs that it has started keep running. Returns whether there was such a schedule. */
    public boolean delete(String mesh, String name) {
        return database.transact("delete schedule", tx -> store.delete(tx, mesh, name));
    }

    /**
     * Starts a job now, even while the schedule is paused; its moments do not change.
     *
     * @param key distinguishes this request from others; a repeat reuses it
     * @return the answer, or empty if there is no such schedule
     */
    public Optional<Accepted> trigger(String mesh, String name, IdempotencyKey key) {
        return read(mesh, name).map(schedule -> submit(schedule, new ScopedKey(schedule.scope(), key)));
    }

    /** Like {@link #trigger(String, String, IdempotencyKey)}, for a member of the mesh with keys of their own. */
    public Optional<Accepted> trigger(String name, ScopedKey key) {
        return read(key.scope().mesh(), name).map(schedule -> submit(schedule, key));
    }

    private Accepted submit(Schedule schedule, ScopedKey key) {
        return engine.submit(submission(schedule, key)).join();
    }

    @Override
    public void close() {
        loop.end();
        loop.awaitEnd(STOPPING);
    }

    private void fireAll() {
        while (fire() == BATCH) {
            Thread.onSpinWait();
        }
        database.read("look for the next moment", this::untilNext).ifPresent(loop::ringIn);
    }

    private Optional<Duration> untilNext(Tx tx) throws SQLException {
        Optional<Instant> next = store.next(tx, engine.maker().workflows());
        return next.isEmpty() ? Optional.empty() : Optional.of(Duration.between(clock.now(tx), next.get()));
    }

    /** Fires the due schedules, and returns how many. */
    int fire() {
        Set<String> workflows = engine.maker().workflows();
        if (workflows.isEmpty()) {
            return 0;
        }
        List<Firing> due = database.read("look for schedules", tx -> {
            Instant now = clock.now(tx);
            return store.due(tx, now, workflows, BATCH).stream()
                    .map(row -> Firing.of(row, now))
                    .toList();
        });
        Map<Boolean, List<Firing>> limited = paid(due).stream()
                .collect(Collectors.partitioningBy(firing -> !firing.isPostponed()
                        && engine.maker().hasLimit(firing.schedule().workflow())));
        return fire(limited.getOrDefault(false, List.of()).stream()
                        .map(this::made)
                        .toList())
                + fire(madeElsewhere(limited.getOrDefault(true, List.of())));
    }

    /** Asks for all budgets at once, so that they are counted together. */
    private List<Firing> paid(List<Firing> due) {
        List<CompletableFuture<Firing>> asked = due.stream()
                .map(firing -> CompletableFuture.supplyAsync(() -> paid(firing), THREADS))
                .toList();
        try {
            return asked.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException e) {
            throw Failures.causeOf(e) instanceof TransactionException away ? away : e;
        }
    }

    private Firing paid(Firing firing) {
        Schedule schedule = firing.schedule();
        return submitters
                .spend(firing.key(), schedule.fingerprint(), schedule.input().length)
                .map(firing::postponed)
                .orElse(firing);
    }

    /** A limit's key function, and the codec that decodes its input, are user code: they must not run on this thread. */
    private List<Firing> madeElsewhere(List<Firing> due) {
        if (due.isEmpty()) {
            return List.of();
        }
        Map<Firing, Firing> made = Collections.synchronizedMap(new IdentityHashMap<>());
        UserCode.Left<Firing> left;
        try {
            left = userCode.each(due, patience, (firing, caller) -> made.put(firing, made(firing)));
        } catch (SQLException e) {
            throw new IllegalStateException("nothing was asked of the database", e);
        }
        String why = "the key of its limit, or the codec, took longer than " + patience.toSeconds() + " s";
        List<Firing> ready = new ArrayList<>();
        for (Firing firing : due) {
            if (left.late().contains(firing)) {
                ready.add(firing.hopeless(why));
            } else if (left.starved().contains(firing)) {
                LOG.warn("{} stays due: {} and hardly ran", firing.key(), why);
            } else if (!left.kept().contains(firing)) {
                ready.add(Objects.requireNonNull(made.get(firing)));
            }
        }
        return ready;
    }

    private Firing made(Firing firing) {
        if (firing.isPostponed()) {
            return firing;
        }
        if (submitters.isLost(firing.key())) {
            return firing.hopeless("a job was accepted for it before the database was restored, and is lost");
        }
        Submission submission = submission(firing.schedule(), firing.key()).attributes(firing.attributes());
        try {
            return firing.with(engine.unbegun(submission));
        } catch (TransactionException away) {
            throw away;
        } catch (RuntimeException e) {
            // Its input does not fit its workflow; the other schedules must not wait until that is fixed.
            return firing.hopeless(String.valueOf(e.getMessage()));
        }
    }

    private int fire(List<Firing> firings) {
        if (firings.isEmpty()) {
            return 0;
        }
        int fired = database.transact("fire schedules", tx -> {
            int number = 0;
            List<Schedule> schedules = firings.stream().map(Firing::schedule).toList();
            for (ScheduleStore.Row row : store.lockDue(tx, clock.now(tx), schedules)) {
                Optional<Firing> firing =
                        firings.stream().filter(each -> each.isOf(row)).findFirst();
                if (firing.isPresent()) {
                    fire(tx, firing.get());
                    number++;
                }
            }
            return number;
        });
        if (fired > 0) {
            crashPoints.reached(ScheduleCrashPoint.JOB_STARTED);
            engine.jobsAreDue();
        }
        return fired;
    }

    private void fire(Tx tx, Firing firing) throws SQLException {
        Schedule schedule = firing.schedule();
        if (!submitters.include(tx, schedule.scope())) {
            String trouble = "did not fire for " + firing.moment() + ": "
                    + schedule.scope().member()
                    + ", who made it, may not submit jobs any more; a member with that role must create it again";
            store.fired(tx, schedule, firing.next(), null, null, trouble);
        } else if (firing.waitsUntil() != null) {
            store.postpone(tx, schedule, firing.waitsUntil(), String.valueOf(firing.trouble()));
        } else if (firing.job() == null) {
            store.fired(tx, schedule, firing.next(), null, null, firing.trouble());
        } else {
            JobId job = jobOf(engine.acceptIn(tx, firing.job()));
            crashPoints.reached(ScheduleCrashPoint.SUBMITTED);
            store.fired(tx, schedule, firing.next(), firing.moment(), job, null);
        }
    }

    /** If the key is bound to a different request, the schedule has changed since: the moment has been served. */
    private static @Nullable JobId jobOf(Accepted accepted) {
        return switch (accepted) {
            case Accepted.Fresh fresh -> fresh.job();
            case Accepted.Duplicate duplicate -> duplicate.job();
            case Accepted.Reused reused -> null;
        };
    }

    private static Submission submission(Schedule schedule, ScopedKey key) {
        return new Submission(
                schedule.scope().mesh(),
                schedule.workflow(),
                schedule.input(),
                key,
                schedule.fingerprint(),
                schedule.priority(),
                Duration.ZERO);
    }
}
