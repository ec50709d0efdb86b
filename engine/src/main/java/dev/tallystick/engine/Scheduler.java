package dev.tallystick.engine;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.TurnStore;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Starts jobs by the clock, which is the database's. Any number of processes may be at it.
 *
 * <p>Invariant: for each moment of a schedule there is at most one job, because its key is {@code schedule:<name>:<moment>}; and
 * the job, its key and the schedule's next moment commit together, so none of them is ever there without the others.
 *
 * <p>Only a process that knows the workflow fires. Thread-safe.
 */
public final class Scheduler implements AutoCloseable {

    private static final int BATCH = 100;
    private static final Duration STOPPING = Duration.ofSeconds(10);

    /** Whoever's limit has no key by then misses a moment, and the others go on. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("tally-schedule-budget").start(task);

    private final Database database;
    private final Engine engine;
    private final Submitters submitters;
    private final SharedClock clock;
    private final CrashPoints crashPoints;
    private final ScheduleStore store = new ScheduleStore();
    private final TurnStore turns = new TurnStore();
    private final UserCode userCode = new UserCode();
    private final Loop loop;

    public Scheduler(Database database, Engine engine, Duration poll, CrashPoints crashPoints) {
        this(database, engine, Submitters.ALL, poll, crashPoints);
    }

    /** @param submitters whoever is none of them any more has schedules that do not fire */
    public Scheduler(Database database, Engine engine, Submitters submitters, Duration poll, CrashPoints crashPoints) {
        this(database, engine, submitters, SharedClock.DATABASE, poll, crashPoints);
    }

    Scheduler(
            Database database,
            Engine engine,
            Submitters submitters,
            SharedClock clock,
            Duration poll,
            CrashPoints crashPoints) {
        this.database = database;
        this.engine = engine;
        this.submitters = submitters;
        this.clock = clock;
        this.crashPoints = crashPoints;
        this.loop = new Loop("schedules", poll, this::fireAll);
    }

    /** Begins to fire. Without it, schedules are kept for others to fire. */
    public void start() {
        loop.start();
        loop.ring();
    }

    /** Keeps the schedule, in place of one of the same name. One that is paused stays so. Returns how it stands then. */
    public ScheduleView save(Schedule schedule) {
        return save(schedule, tx -> {});
    }

    /**
     * As {@link #save(Schedule)}, if there is room for it. Those who save in the same mesh take turns, so that none is missed.
     *
     * @param room throws if there are as many others as there may be
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

    /** How many schedules there are beside one: the member's own, and all of the mesh. */
    public record Others(long ofMember, long ofMesh) {}

    /** All of them, by name. */
    public List<ScheduleView> list(String mesh) {
        return list(mesh, null, Integer.MAX_VALUE);
    }

    /** A page of them, by name; {@code after} the last of the page before. */
    public List<ScheduleView> list(String mesh, @Nullable String after, int limit) {
        return database.transact("list schedules", tx -> store.list(tx, mesh, after, limit));
    }

    /** What a schedule says, without how it stands. */
    public Optional<Schedule> read(String mesh, String name) {
        return database.transact("read schedule", tx -> store.read(tx, mesh, name))
                .map(ScheduleStore.Row::schedule);
    }

    public Optional<ScheduleView> find(String mesh, String name) {
        return database.transact("read schedule", tx -> view(tx, mesh, name));
    }

    private Optional<ScheduleView> view(Tx tx, String mesh, String name) throws SQLException {
        return store.read(tx, mesh, name).map(ScheduleStore.Row::view);
    }

    /** It does not fire until it is resumed. Returns how it stands then, if there is such a schedule. */
    public Optional<ScheduleView> pause(String mesh, String name) {
        return database.transact("pause schedule", tx -> {
            store.pause(tx, mesh, name);
            return view(tx, mesh, name);
        });
    }

    /** It fires again, from the next moment on. Returns how it stands then, if there is such a schedule. */
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

    /** Its jobs go on. Returns whether there was such a schedule. */
    public boolean delete(String mesh, String name) {
        return database.transact("delete schedule", tx -> store.delete(tx, mesh, name));
    }

    /**
     * Starts a job now, also while the schedule is paused; its moments stay as they are.
     *
     * @param key tells this from other requests, and a repeat from the first
     * @return what came of it, or empty if there is no such schedule
     */
    public Optional<Accepted> trigger(String mesh, String name, IdempotencyKey key) {
        return read(mesh, name).map(schedule -> submit(schedule, new ScopedKey(schedule.scope(), key)));
    }

    /** As {@link #trigger(String, String, IdempotencyKey)}, for somebody of the mesh who has keys of their own. */
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
        database.transact("look for the next moment", this::untilNext).ifPresent(loop::ringIn);
    }

    private Optional<Duration> untilNext(Tx tx) throws SQLException {
        Optional<Instant> next = store.next(tx, engine.maker().workflows());
        return next.isEmpty() ? Optional.empty() : Optional.of(Duration.between(clock.now(tx), next.get()));
    }

    /** Fires what is due, and returns how many that were. */
    int fire() {
        Set<String> workflows = engine.maker().workflows();
        if (workflows.isEmpty()) {
            return 0;
        }
        List<Firing> due = database.transact("look for schedules", tx -> {
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

    /** The key of a limit is the user's code, and so is the codec that reads the input for it: not on this thread. */
    private List<Firing> madeElsewhere(List<Firing> due) {
        if (due.isEmpty()) {
            return List.of();
        }
        Map<Firing, Firing> made = Collections.synchronizedMap(new IdentityHashMap<>());
        UserCode.Left<Firing> left;
        try {
            left = userCode.each(due, PATIENCE, (firing, caller) -> made.put(firing, made(firing)));
        } catch (SQLException e) {
            throw new IllegalStateException("nothing was asked of the database", e);
        }
        String why = "the key of its limit, or the codec, took longer than " + PATIENCE.toSeconds() + " s";
        left.late().forEach(firing -> made.putIfAbsent(firing, firing.hopeless(why)));
        return List.copyOf(made.values());
    }

    private Firing made(Firing firing) {
        if (firing.isPostponed()) {
            return firing;
        }
        Submission submission = submission(firing.schedule(), firing.key()).attributes(firing.attributes());
        try {
            return firing.with(engine.maker().submitted(submission, null));
        } catch (TransactionException away) {
            throw away;
        } catch (RuntimeException e) {
            // Its input does not fit its workflow: the others must not wait until that is put right.
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
            crashPoints.reached(ScheduleCrashPoint.FIRED);
            engine.jobsAreDue();
        }
        return fired;
    }

    private void fire(Tx tx, Firing firing) throws SQLException {
        Schedule schedule = firing.schedule();
        if (!submitters.include(tx, schedule.scope())) {
            String trouble = "did not fire for " + firing.moment() + ": "
                    + schedule.scope().member()
                    + ", who made it, may not submit jobs any more; somebody who may has to put it again";
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

    /** A key that stands for something else was bound when the schedule was another: the moment has been served. */
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
