package dev.tallystick.broker;

import dev.tallystick.broker.accept.AcceptHook;
import dev.tallystick.broker.accept.AcceptItem;
import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.AcceptedMessage;
import dev.tallystick.broker.accept.BatchIntake;
import dev.tallystick.broker.accept.BatchOutcome;
import dev.tallystick.broker.accept.GateReports;
import dev.tallystick.broker.accept.KeyedCommits;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.accept.MessageAcceptor;
import dev.tallystick.broker.accept.Rejection;
import dev.tallystick.broker.accept.Screening;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.member.Devices;
import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.message.Deliveries;
import dev.tallystick.broker.message.Directory;
import dev.tallystick.broker.message.History;
import dev.tallystick.broker.message.Search;
import dev.tallystick.broker.message.Sequencer;
import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.webhook.DeadCalls;
import dev.tallystick.broker.webhook.Webhooks;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.Gate;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.KeyReuse;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.sql.Wakeups;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Accepts messages and jobs, each once under its key.
 *
 * <p>A submission passes the gate, which knows most repeats; then (B0) its key is looked up, so that a repeat costs no budget;
 * then (B1) the checks that need no transaction, and the budget; then (B2, B3) one transaction, shared with concurrent
 * submissions, binds the key and writes everything that belongs to it, or nothing.
 *
 * <p>Any number of brokers share one database. Thread-safe; calls block.
 */
public final class Broker implements AutoCloseable {

    private static final Duration STOPPING = Duration.ofSeconds(10);
    private static final Duration SWEEPING = Duration.ofMinutes(10);
    private static final Duration BETWEEN_TURNS = Duration.ofMillis(10);
    private static final Duration LOOKING_FOR_ORPHANS = Duration.ofDays(1);
    private static final Duration FIRST_LOOK = Duration.ofMinutes(5);

    /** The channel on which brokers notify each other of new messages. */
    private static final String WAKE = "tally_broker";

    private final AcceptHook hook;
    private final Screening screening;
    private final BatchIntake batches;
    private final Limiter limiter;
    private final Ids ids;
    private final CrashPoints crashPoints;
    private final KeyedCommits commits;
    private final Gate<Acceptance> gate;
    private final Counters counters = new Counters();
    private final NewMessageSignal newMessageSignal = new NewMessageSignal();
    private final Members members;
    private final Directory directory;
    private final Devices devices;
    private final Deliveries deliveries;
    private final History history;
    private final Webhooks webhooks;
    private final DeadCalls deadCalls;
    private final OrphanCheck orphans;
    private final Search search;
    private final Loop sequencing;
    private final Loop calling;
    private final Loop following;
    private final List<Loop> loops;
    private final Wakeups wakeups;

    /** @param random a {@link java.security.SecureRandom}: IDs and tokens are drawn from it */
    public Broker(
            Database database,
            BrokerSettings settings,
            AcceptHook hook,
            Limiter limiter,
            InstantSource clock,
            RandomGenerator random,
            CrashPoints crashPoints) {
        this.hook = hook;
        this.screening = new Screening(settings.maxPayload(), settings.maxMentions(), hook);
        this.limiter = limiter;
        this.crashPoints = crashPoints;
        this.ids = new Ids(clock, random);
        this.members = new Members(database, hook.ends(), clock, random);
        this.directory = new Directory(database);
        this.devices = new Devices(database);
        this.deliveries = new Deliveries(database);
        this.history = new History(database);
        this.gate = new Gate<>(settings.gate(), clock);
        AcceptKeys keys = new AcceptKeys(settings.keyRetention(), crashPoints);
        this.commits = new KeyedCommits(database, keys, new MessageAcceptor(keys, hook, crashPoints));
        this.batches = new BatchIntake(
                gate, screening, limiter, commits, ids, crashPoints, counters::consumedThenRejected, this::accepted);
        Sequencer sequencer = new Sequencer(database, crashPoints);
        this.sequencing = new Loop("sequencer", settings.poll(), BETWEEN_TURNS, () -> sequence(sequencer));
        this.webhooks = new Webhooks(
                database,
                deliveries,
                hook.ends(),
                settings.callable(),
                ids,
                clock,
                random,
                crashPoints,
                this::callNext);
        this.deadCalls = new DeadCalls(database, this::callNext);
        CompletionAnnouncer completionAnnouncer = new CompletionAnnouncer(database, hook.ends(), crashPoints);
        this.orphans = new OrphanCheck(database, settings.keyRetention());
        this.search = new Search(database);
        this.calling = new Loop("webhooks", settings.poll(), BETWEEN_TURNS, webhooks::begin);
        AuditLog audit = new AuditLog(database);
        this.following = new Loop("followers", settings.poll(), () -> {
            audit.run();
            search.run();
        });
        Retention retention = new Retention(database, keys, settings.historyKept(), crashPoints);
        this.loops = List.of(
                sequencing,
                calling,
                following,
                new Loop("ends", settings.poll(), () -> announce(completionAnnouncer)),
                new Loop("gate", settings.gate().cleanupInterval(), gate::cleanUp),
                new Loop("message-retention", SWEEPING, retention::sweep),
                Loop.withFirst(soon(random), "orphans", LOOKING_FOR_ORPHANS, orphans::run));
        this.wakeups = new Wakeups(database, WAKE, ids.next().toString(), this::wokenByAnother);
    }

    /** With jitter for brokers that start together: an orphan check scans all tables. */
    private static Duration soon(RandomGenerator random) {
        return Duration.ofMillis(random.nextLong(FIRST_LOOK.toMillis()));
    }

    /** Starts the background work: positions, retention, webhooks. */
    public void start() {
        loops.forEach(Loop::start);
    }

    /**
     * Accepts a submission. An answer of accepted means durable.
     *
     * @throws DefiniteFailureException if nothing was written because the database is down or overloaded
     * @throws UnknownOutcomeException if the outcome is unknown; repeat the same submission under the same key
     */
    public Acceptance accept(Member member, Submission submission) {
        ScopedKey key = new ScopedKey(member.scope(), submission.key());
        UUID id = ids.next();
        Gate.Entrance<Acceptance> entrance;
        try {
            entrance = gate.enter(key, submission.fingerprint(), id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DefiniteFailureException(
                    DefiniteFailureException.Reason.UNAVAILABLE, "interrupted while waiting for another request", e);
        }
        Acceptance answer = switch (entrance) {
            case Gate.Entrance.Admitted<Acceptance> admitted -> admitted(member, submission, id, admitted.pass());
            case Gate.Entrance.Answered<Acceptance> answered -> answered.answer();
            case Gate.Entrance.Reused<Acceptance> reused ->
                new Acceptance.KeyReused(KeyReuse.of(key, reused.bound(), submission.fingerprint()));
            case Gate.Entrance.InProgress<Acceptance> other ->
                new Acceptance.InProgress(other.original(), other.retryAfter());
            case Gate.Entrance.Full<Acceptance> full -> new Acceptance.Busy(full.retryAfter());
        };
        counters.count(answer);
        return answer;
    }

    /**
     * Accepts the submissions of one member in their order, each for itself, and in one transaction where possible. Of those to
     * one destination, other than a workflow, the first that cannot be taken now holds back the later ones. One outcome for
     * each, in the same order.
     *
     * @param submissions with different keys
     * @throws DefiniteFailureException if nothing was written because the database is down or overloaded
     * @throws UnknownOutcomeException if the outcome of all is unknown; repeat the same submissions under the same keys
     */
    public List<BatchOutcome> acceptAll(Member member, List<Submission> submissions) {
        List<BatchOutcome> outcomes = batches.accept(member, submissions);
        for (BatchOutcome outcome : outcomes) {
            if (outcome instanceof BatchOutcome.Answered answered) {
                counters.count(answered.answer());
            }
        }
        return outcomes;
    }

    /** Charges a request that is accepted elsewhere to its member's budget, like a submission. */
    public Limiter.Decision spend(Member member, IdempotencyKey key, Fingerprint request, int bytes) {
        return spend(new ScopedKey(member.scope(), key), request, bytes);
    }

    /** As {@link #spend(Member, IdempotencyKey, Fingerprint, int)}, for work that no caller is waiting for. */
    public Limiter.Decision spend(ScopedKey key, Fingerprint request, int bytes) {
        Limiter.Decision decision = limiter.consume(key, request, bytes);
        if (decision instanceof Limiter.Decision.Over over) {
            counters.count(new Acceptance.OverLimit(over.retryAfter()));
        }
        return decision;
    }

    /** Records that a request charged by {@link #spend} was rejected. */
    public void countWasted() {
        counters.consumedThenRejected();
    }

    /** The accepted message of a member's key, if any. */
    public Optional<AcceptedMessage> find(ScopedKey key) {
        return commits.find(key).map(AcceptedMessage::of);
    }

    public Members members() {
        return members;
    }

    public Directory directory() {
        return directory;
    }

    public Devices devices() {
        return devices;
    }

    public Deliveries deliveries() {
        return deliveries;
    }

    public History history() {
        return history;
    }

    public Webhooks webhooks() {
        return webhooks;
    }

    public DeadCalls deadCalls() {
        return deadCalls;
    }

    public Search search() {
        return search;
    }

    public OrphanCheck orphans() {
        return orphans;
    }

    /** Something was accepted: start numbering, webhook calls and pushes. */
    public void ring() {
        sequencing.ring();
        calling.ring();
        newMessageSignal.ring();
        wakeups.ring();
    }

    private void callNext() {
        calling.ring();
    }

    public NewMessageSignal bells() {
        return newMessageSignal;
    }

    public BrokerCounts counts() {
        return counters.read(gate.counts());
    }

    /** Commits queued submissions, then stops. */
    @Override
    public void close() {
        wakeups.close();
        loops.forEach(Loop::end);
        loops.forEach(loop -> loop.awaitEnd(STOPPING));
        webhooks.close(STOPPING);
        commits.close();
    }

    private Acceptance admitted(Member member, Submission submission, UUID id, Gate.Pass<Acceptance> pass) {
        try (pass) {
            Acceptance answer = process(member, submission, id);
            GateReports.report(pass, submission, answer);
            return answer;
        }
    }

    private Acceptance process(Member member, Submission submission, UUID id) {
        Optional<KeyEntry> known = commits.find(new ScopedKey(member.scope(), submission.key()));
        if (known.isPresent()) {
            return Screening.repeated(known.get(), submission.fingerprint());
        }
        Optional<Rejection> refused = screening.check(submission);
        if (refused.isPresent()) {
            return new Acceptance.Rejected(refused.get());
        }
        Limiter.Decision decision = limiter.consume(
                new ScopedKey(member.scope(), submission.key()),
                submission.fingerprint(),
                submission.envelope().body().bytes().length);
        if (decision instanceof Limiter.Decision.Over over) {
            return new Acceptance.OverLimit(over.retryAfter());
        }
        AcceptItem item = new AcceptItem(id, ids.next(), member, submission, screening.plan(id, member, submission));
        crashPoints.reached(BrokerCrashPoint.BUDGET_SPENT);
        Acceptance answer = commits.accept(item);
        switch (answer) {
            case Acceptance.Accepted accepted -> accepted(List.of(item));
            case Acceptance.Rejected rejected -> counters.consumedThenRejected();
            default -> {}
        }
        return answer;
    }

    private void accepted(List<AcceptItem> items) {
        crashPoints.reached(BrokerCrashPoint.ACCEPTED);
        boolean areMessages = false;
        for (AcceptItem item : items) {
            if (item.plan() instanceof AcceptHook.Plan.Ready ready) {
                hook.started(ready.job());
            } else {
                areMessages = true;
            }
        }
        if (areMessages) {
            ring();
        } else {
            sequencing.ring();
        }
    }

    private void sequence(Sequencer sequencer) {
        if (sequencer.run() > 0) {
            newMessageSignal.ring();
            wakeups.ring();
        }
    }

    private void announce(CompletionAnnouncer completionAnnouncer) {
        if (completionAnnouncer.run() > 0) {
            ring();
        }
    }

    private void wokenByAnother() {
        sequencing.ring();
        calling.ring();
        newMessageSignal.ring();
    }
}
