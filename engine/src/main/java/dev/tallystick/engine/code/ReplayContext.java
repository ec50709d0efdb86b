package dev.tallystick.engine.code;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ChildOrder;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.PartnerAnswer;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.engine.record.AttributeStore;
import dev.tallystick.engine.record.GuardedConnection;
import dev.tallystick.engine.record.Question;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.record.Transactions.Outcome;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Attribute;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.GenericType;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.MisuseException;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.StepFailedException;
import dev.tallystick.workflow.TransactionalWork;
import dev.tallystick.workflow.Undo;
import dev.tallystick.workflow.WorkflowChangedException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The context of a body, or of one of its branches. Counts the questions, so that the n-th question of a run meets the record
 * of the n-th question of the previous run. For one thread.
 */
final class ReplayContext implements Context {

    private static final byte[] NULL = {'n', 'u', 'l', 'l'};
    private static final Pattern PATCH_ID = Pattern.compile("[A-Za-z0-9_-]{1,100}");

    private final JobExecution run;
    private final @Nullable ReplayContext parent;
    private final String prefix;
    private final Map<String, Boolean> patches;
    private final ReplayFrontier replayFrontier = new ReplayFrontier();
    private final QuestionOrder order = new QuestionOrder();
    private int place;

    /** Set when this scope's branch has lost to another: its results are ignored from then on. */
    private volatile boolean cancelled;

    private ReplayContext(
            JobExecution run, @Nullable ReplayContext parent, String prefix, Map<String, Boolean> patches) {
        this.run = run;
        this.parent = parent;
        this.prefix = prefix;
        this.patches = new HashMap<>(patches);
    }

    static ReplayContext of(JobExecution run) {
        return new ReplayContext(run, null, "", Map.of());
    }

    @Override
    public JobId job() {
        return run.job();
    }

    @Override
    public String key() {
        Undoing undoing = run.undoing();
        Undoing.Registered undo = undoing == null ? null : undoing.current();
        return run.keysOf() + ":" + (undo == null ? prefix + place : undoPath(undo));
    }

    @Override
    public boolean patched(String id) {
        demandAskable("$patched:" + id);
        return patches.computeIfAbsent(id, this::decidePatch);
    }

    /**
     * A patch marker sits between two places and takes none, so that the record of a job without it still fits. It commits with
     * or before the next question, so a record that continues without a marker predates the patch.
     */
    private boolean decidePatch(String id) {
        if (!PATCH_ID.matcher(id).matches()) {
            throw new IllegalArgumentException(
                    "a patch's id has up to 100 letters, digits, '_' or '-'; got '" + id + "'");
        }
        ActivityId mark = new ActivityId(run.job(), prefix + place + "~" + id, "$patched:" + id);
        if (recordOf(mark) != null) {
            return true;
        }
        if (run.mayHavePassed(prefix, place)) {
            return false;
        }
        if (run.undoing() == null) {
            record(LegOne.inline(mark, "patch", 0), NULL);
        }
        return true;
    }

    @Override
    public UUID uuid() {
        return unrecorded(Guid.DRAWN);
    }

    @Override
    public RandomGenerator random() {
        UUID seed = unrecorded("$random");
        return new SplittableRandom(seed.getMostSignificantBits() ^ seed.getLeastSignificantBits());
    }

    @Override
    public Instant now() {
        ActivityId activity = next("$now");
        RecordedActivity recorded = asked(activity);
        if (recorded != null && recorded.isDone()) {
            return Payloads.instant(Objects.requireNonNull(recorded.output()));
        }
        byte[] now = Payloads.encode(run.tools().clock().instant());
        record(LegOne.inline(activity, "now", 0), now);
        return Payloads.instant(now);
    }

    @Override
    public <T extends @Nullable Object> T step(String name, GenericType<T> type, Retry retry, Callable<T> work) {
        ActivityId activity = next(name);
        RecordedActivity recorded = asked(activity);
        if (recorded != null && recorded.isDone()) {
            return replay(recorded, type);
        }
        byte[] output = attempts(activity, recorded, retry).run(dispatch -> run.begin(this, dispatch), () -> {
            T result = work.call();
            run.tools().crashPoints().reached(EngineCrashPoint.STEP_RUN_UNRECORDED);
            byte[] encoded = Payloads.encode(run.tools().codec(), result);
            record(activity, 0, encoded);
            return encoded;
        });
        return decode(name, output, type);
    }

    @Override
    public <T extends @Nullable Object> T transaction(
            String name, GenericType<T> type, Retry retry, TransactionalWork<T> work) {
        ActivityId activity = next(name);
        RecordedActivity recorded = asked(activity);
        if (recorded != null && recorded.isDone()) {
            return replay(recorded, type);
        }
        byte[] output = attempts(activity, recorded, retry).run(this::begin, () -> {
            Outcome outcome = run.tools().transactions().run(run.lease(), activity, tx -> {
                T result = work.run(GuardedConnection.of(tx.connection(), name));
                return Payloads.encode(run.tools().codec(), result);
            });
            run.tools().crashPoints().reached(EngineCrashPoint.TRANSACTED);
            return switch (outcome) {
                case Outcome.Committed committed -> committed.output();
                case Outcome.RecordedBefore before ->
                    Objects.requireNonNull(before.record().demandSuccess());
                case Outcome.LeaseLost lost -> throw run.stopping(ExecutionStopped.Reason.LEASE_LOST);
            };
        });
        return decode(name, output, type);
    }

    @Override
    public <T> T await(String signal, GenericType<T> type) {
        return signalled(signal, type, null).orElseThrow();
    }

    @Override
    public <T> Optional<T> await(String signal, GenericType<T> type, Duration patience) {
        return signalled(signal, type, patience);
    }

    /** A wait that is done without a payload has timed out. */
    private <T> Optional<T> signalled(String signal, GenericType<T> type, @Nullable Duration patience) {
        return signalled(signal, patience).map(payload -> decode(SignalStore.waitName(signal), payload, type));
    }

    private Optional<byte[]> signalled(String signal, @Nullable Duration patience) {
        ActivityId activity = next(SignalStore.waitName(signal));
        RecordedActivity recorded = asked(activity);
        if (recorded == null) {
            run.dispatch(this, List.of(LegOne.await(activity, patience)));
        }
        RecordedActivity done = recorded != null && recorded.isDone() ? recorded : awaitDone(activity);
        return Optional.ofNullable(done.output());
    }

    @Override
    public <T extends @Nullable Object> T remote(String participant, @Nullable Object request, GenericType<T> type) {
        RemoteCall<T> call = new RemoteCall<>(participant, request, type);
        UUID id = Guid.drawn(run.keysOf(), prefix + (place + 1), call.step());
        transaction(
                call.step(),
                Boolean.class,
                RemoteCall.RETRY,
                connection -> call.post(
                        run.tools().partners(), run.tools().transactions().join(connection), id, run.mesh(), job()));
        return call.read(signalled(PartnerAnswer.signal(id), null).orElseThrow());
    }

    @Override
    public <T> T task(String name, GenericType<T> type, Ask ask) {
        return question(name, type, ask).answer(null).orElseThrow();
    }

    @Override
    public <T> Optional<T> task(String name, GenericType<T> type, Ask ask, Duration patience) {
        return question(name, type, ask).answer(patience);
    }

    @Override
    public void attribute(String name, String value) {
        Attribute attribute = new Attribute(name, value);
        transaction("$attribute:" + name, Boolean.class, connection -> {
            new AttributeStore().set(run.tools().transactions().join(connection), job(), run.mesh(), attribute);
            return true;
        });
    }

    private <T> Question<T> question(String name, GenericType<T> type, Ask ask) {
        return new Question<>(
                this, run.tools().transactions(), run.mesh(), run.tools().codec(), name, type, ask);
    }

    @Override
    public <T extends @Nullable Object> T child(String workflow, @Nullable Object input, GenericType<T> type) {
        ActivityId activity = next("$child:" + workflow);
        RecordedActivity recorded = asked(activity);
        if (recorded == null) {
            byte[] encoded = Payloads.encode(run.tools().codec(), input);
            NewJob child = run.tools().children().apply(new ChildOrder(activity, run.mesh(), workflow, encoded));
            run.dispatch(this, LegOne.inline(activity, "child", 0), child);
        }
        RecordedActivity done = recorded != null && recorded.isDone() ? recorded : awaitDone(activity);
        return replay(done, type);
    }

    @Override
    public void undo(String name, Retry retry, Undo work) {
        ActivityId activity = next("$undo:" + name);
        RecordedActivity recorded = asked(activity);
        Undoing undoing = run.undoing();
        if (undoing != null) {
            undoing.register(new Undoing.Registered(activity.path(), name, retry, work));
        } else if (recorded == null) {
            record(LegOne.inline(activity, "undo", 0), NULL);
            run.noteUndo();
        }
    }

    /** Runs the undos that were found, last first. An undo that finished before a crash does not run again. */
    void undoAll(Undoing undoing) {
        for (Undoing.Registered undo : undoing.inReverse()) {
            ActivityId activity = new ActivityId(run.job(), undoPath(undo), undo.name());
            RecordedActivity recorded = recordOf(activity);
            undoing.begins(undo);
            try {
                if (recorded != null && recorded.isDone()) {
                    recorded.demandSuccess();
                } else {
                    attempts(activity, recorded, undo.retry()).run(this::begin, () -> undoHere(activity, undo.work()));
                }
            } catch (StepFailedException e) {
                undoing.failed(Objects.requireNonNull(e.getMessage()));
            }
        }
    }

    private boolean undoHere(ActivityId activity, Undo work) throws Exception {
        work.run();
        run.tools().crashPoints().reached(EngineCrashPoint.STEP_RUN_UNRECORDED);
        record(activity, 0, NULL);
        return true;
    }

    private static String undoPath(Undoing.Registered undo) {
        return "undo." + undo.path();
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // it never returns
    public <T extends @Nullable Object> T continueAsNew(@Nullable Object input) {
        demandAskable("$continue");
        if (!prefix.isEmpty()) {
            throw new IllegalStateException("a branch cannot continue as a new job, only the body that it belongs to");
        }
        throw new ContinuedAsNew(Payloads.encode(run.tools().codec(), input));
    }

    @Override
    public void sleep(Duration duration) {
        ActivityId activity = next("$sleep");
        RecordedActivity recorded = asked(activity);
        if (recorded == null) {
            run.dispatch(this, List.of(new LegOne(activity, "sleep", 0, duration, Queues.ENGINE)));
        }
        if (recorded == null || !recorded.isDone()) {
            awaitDone(activity);
        }
    }

    @Override
    public <T extends @Nullable Object> List<T> all(GenericType<T> type, List<Branch<T>> branches) {
        return new Branches<>(this, run, next("$all"), type, branches).all();
    }

    @Override
    public <T extends @Nullable Object> T any(GenericType<T> type, List<Branch<T>> branches) {
        return new Branches<>(this, run, next("$any"), type, branches).any();
    }

    /** The context of a branch at the given place. */
    ReplayContext branch(String path) {
        return new ReplayContext(run, this, path + ".", patches);
    }

    /** The prefix of this scope's places. */
    String prefix() {
        return prefix;
    }

    /** Ignores further results and refuses further questions, in this scope and in all branches within it. */
    void cancel() {
        cancelled = true;
        run.attention().cancel(prefix);
    }

    private boolean isCancelled() {
        return cancelled || (parent != null && parent.isCancelled());
    }

    void checkNotCancelled() {
        run.checkRunning();
        if (isCancelled()) {
            throw new ExecutionStopped(ExecutionStopped.Reason.BRANCH_CANCELLED);
        }
    }

    /** Results are also accepted from a stopped body while it may still report finished work. */
    private void demandResultHeard() {
        if (isCancelled() || !run.mayStillRecord()) {
            checkNotCancelled();
        }
    }

    /** The record of a question. When a body is replayed to find its undos, the replay ends where the record does. */
    private @Nullable RecordedActivity asked(ActivityId activity) {
        RecordedActivity recorded = recordOf(activity);
        if (run.undoing() != null && (recorded == null || !recorded.isDone())) {
            throw new UndoReached();
        }
        if (recorded == null) {
            replayFrontier.demandReached(run, activity, prefix, place);
        }
        return recorded;
    }

    @Nullable
    RecordedActivity recordOf(ActivityId activity) {
        RecordedActivity recorded = run.recorded(activity.path());
        if (recorded != null && !recorded.name().equals(activity.name())) {
            throw run.poison(new WorkflowChangedException(activity.path(), recorded.name(), activity.name()));
        }
        return recorded;
    }

    @SuppressWarnings("NullAway") // an activity without output is always read as a nullable type
    private <T extends @Nullable Object> T replay(RecordedActivity recorded, GenericType<T> type) {
        byte[] output = recorded.demandSuccess();
        return output == null ? null : decode(recorded.name(), output, type);
    }

    /** A body gets decoded values in its first run too: behaviour that only the live object has would fail in a replay. */
    <T extends @Nullable Object> T decode(String name, byte[] output, GenericType<T> type) {
        return Payloads.decode(run.tools().codec(), name, output, type);
    }

    QuestionOrder order() {
        return order;
    }

    private void demandAskable(String name) {
        checkNotCancelled();
        Undoing undoing = run.undoing();
        if (undoing != null && undoing.current() != null) {
            throw new MisuseException("an undo is a step of its own and cannot ask its context for '" + name + "'");
        }
        order.demandTurn(name);
    }

    private ActivityId next(String name) {
        demandAskable(name);
        place++;
        return new ActivityId(run.job(), prefix + place, name);
    }

    /** A place whose answer follows from the place itself, so nothing is recorded. */
    private UUID unrecorded(String name) {
        ActivityId activity = next(name);
        recordOf(activity);
        return Guid.drawn(run.keysOf(), activity.path(), name);
    }

    private Attempts attempts(ActivityId activity, @Nullable RecordedActivity before, Retry retry) {
        return new Attempts(this, run, activity, before == null ? 0 : before.attempts(), retry);
    }

    /** When this returns, the start or failure of the attempt is durable. */
    void begin(LegOne dispatch) {
        run.dispatch(this, List.of(dispatch));
    }

    private void record(LegOne dispatch, byte[] output) {
        run.record(this::checkNotCancelled, dispatch, result(dispatch.activity(), 0, output));
    }

    void record(ActivityId activity, int delta, byte[] output) {
        run.record(this::demandResultHeard, result(activity, delta, output));
    }

    /** Records which branch decided and which branches end because of that. */
    void decide(ActivityId choice, byte[] output, List<String> losers) {
        run.decide(this::checkNotCancelled, LegOne.inline(choice, "fork", 0), result(choice, 0, output), losers);
    }

    private LegTwo result(ActivityId activity, int delta, byte[] output) {
        return LegTwo.whole(activity, run.lease().fence(), delta, output, null);
    }

    StepFailedException fail(ActivityId activity, int delta, Fault fault) {
        run.record(
                this::checkNotCancelled,
                LegTwo.whole(activity, run.lease().fence(), delta, null, fault.error())
                        .failed(fault));
        return new StepFailedException(activity.name(), fault.error(), fault.thrown());
    }

    /** Returns the record once the activity is done, which may be in another run of this body. */
    private RecordedActivity awaitDone(ActivityId activity) {
        Optional<RecordedActivity> already = done(activity);
        if (already.isPresent()) {
            checkNotCancelled();
            return already.get();
        }
        run.attention().waitsFor(prefix, activity.path());
        try {
            while (true) {
                Optional<RecordedActivity> now = done(activity);
                if (now.isPresent()) {
                    run.attention().goesOn(prefix);
                    return now.get();
                }
                run.attention().pause(run.tools().poll());
                checkNotCancelled();
            }
        } catch (InterruptedException e) {
            checkNotCancelled();
            throw new IllegalStateException("a workflow's thread is interrupted by its engine only", e);
        }
    }

    private Optional<RecordedActivity> done(ActivityId activity) {
        return run.tools().reader().apply(activity).filter(RecordedActivity::isDone);
    }
}
