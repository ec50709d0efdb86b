package dev.tallystick.broker.accept;

import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Ids;
import dev.tallystick.keys.Gate;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.KeyReuse;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.UnknownOutcomeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the submissions of a batch through the same phases as single ones, all of them through one phase before the next.
 *
 * <p>Invariant: a submission is accepted before every later one of its batch to the same destination, unless it is refused for
 * good. One that cannot be taken now holds back the later ones: otherwise its repeat would come after them. Workflows are
 * exempt, because jobs have no order.
 *
 * <p>A batch waits for no other request with one of its keys: it holds keys itself, and two batches could wait for each other.
 * Thread-safe; calls block.
 */
public final class BatchIntake {

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    private final Gate<Acceptance> gate;
    private final Screening screening;
    private final Limiter limiter;
    private final KeyedCommits commits;
    private final Ids ids;
    private final CrashPoints crashPoints;
    private final Runnable consumedThenRejected;
    private final Consumer<List<AcceptItem>> accepted;
    private final BatchPlaces places = new BatchPlaces(LONGEST_WAIT);

    /**
     * @param consumedThenRejected called for each submission that was charged and then refused
     * @param accepted called when submissions are durable
     */
    public BatchIntake(
            Gate<Acceptance> gate,
            Screening screening,
            Limiter limiter,
            KeyedCommits commits,
            Ids ids,
            CrashPoints crashPoints,
            Runnable consumedThenRejected,
            Consumer<List<AcceptItem>> accepted) {
        this.gate = gate;
        this.screening = screening;
        this.limiter = limiter;
        this.commits = commits;
        this.ids = ids;
        this.crashPoints = crashPoints;
        this.consumedThenRejected = consumedThenRejected;
        this.accepted = accepted;
    }

    public List<BatchOutcome> accept(Member member, List<Submission> submissions) {
        Optional<BatchPlaces.Place> taken = places.take(member.scope());
        if (taken.isEmpty()) {
            return Collections.nCopies(submissions.size(), new BatchOutcome.Answered(new Acceptance.Busy(SOON)));
        }
        try {
            return process(member, submissions);
        } finally {
            taken.get().close();
        }
    }

    private List<BatchOutcome> process(Member member, List<Submission> submissions) {
        Round round = new Round(member, submissions);
        try {
            round.enter();
            round.lookUp();
            round.check();
            round.spend();
            round.commit();
            return round.outcomes();
        } finally {
            round.close();
        }
    }

    /** One of the submissions. It is open until it has an outcome. */
    private static final class Entry {

        private final Submission submission;
        private final ScopedKey key;
        private final UUID id;
        private Gate.@Nullable Pass<Acceptance> pass;
        private @Nullable BatchOutcome outcome;

        Entry(Member member, Submission submission, UUID id) {
            this.submission = submission;
            this.key = new ScopedKey(member.scope(), submission.key());
            this.id = id;
        }

        Destination to() {
            return submission.envelope().to();
        }
    }

    /** One batch on its way. For one thread. */
    private final class Round {

        private final Member member;
        private final List<Entry> entries = new ArrayList<>();

        Round(Member member, List<Submission> submissions) {
            this.member = member;
            submissions.forEach(submission -> entries.add(new Entry(member, submission, ids.next())));
        }

        void enter() {
            for (Entry entry : entries) {
                if (entry.outcome != null) {
                    continue;
                }
                switch (gate.tryEnter(entry.key, entry.submission.fingerprint(), entry.id)) {
                    case Gate.Entrance.Admitted<Acceptance> admitted -> entry.pass = admitted.pass();
                    case Gate.Entrance.Answered<Acceptance> answered -> answer(entry, answered.answer());
                    case Gate.Entrance.Reused<Acceptance> reused ->
                        answer(
                                entry,
                                new Acceptance.KeyReused(
                                        KeyReuse.of(entry.key, reused.bound(), entry.submission.fingerprint())));
                    case Gate.Entrance.InProgress<Acceptance> other ->
                        answer(entry, new Acceptance.InProgress(other.original(), other.retryAfter()));
                    case Gate.Entrance.Full<Acceptance> full -> answer(entry, new Acceptance.Busy(full.retryAfter()));
                }
            }
        }

        void lookUp() {
            List<Entry> open = open();
            List<Optional<KeyEntry>> known =
                    commits.findAll(open.stream().map(entry -> entry.key).toList());
            for (int i = 0; i < open.size(); i++) {
                Entry entry = open.get(i);
                known.get(i)
                        .ifPresent(bound -> answer(entry, Screening.repeated(bound, entry.submission.fingerprint())));
            }
        }

        void check() {
            for (Entry entry : open()) {
                screening.check(entry.submission).ifPresent(refused -> answer(entry, new Acceptance.Rejected(refused)));
            }
        }

        void spend() {
            List<Entry> open = open();
            List<Limiter.Decision> decisions = limiter.consumeAll(open.stream()
                    .map(entry -> new Limiter.Charge(
                            entry.key,
                            entry.submission.fingerprint(),
                            entry.submission.envelope().body().bytes().length))
                    .toList());
            for (int i = 0; i < open.size(); i++) {
                if (open.get(i).outcome == null && decisions.get(i) instanceof Limiter.Decision.Over over) {
                    answer(open.get(i), new Acceptance.OverLimit(over.retryAfter()));
                }
            }
        }

        void commit() {
            List<Entry> planned = new ArrayList<>();
            List<AcceptItem> items = new ArrayList<>();
            for (Entry entry : open()) {
                try {
                    AcceptHook.Plan plan = screening.plan(entry.id, member, entry.submission);
                    items.add(new AcceptItem(entry.id, ids.next(), member, entry.submission, plan));
                    planned.add(entry);
                } catch (RuntimeException e) {
                    entry.outcome = new BatchOutcome.Failed(e);
                }
            }
            if (items.isEmpty()) {
                return;
            }
            crashPoints.reached(BrokerCrashPoint.BUDGET_SPENT);
            List<Acceptance> answers;
            try {
                answers = commits.acceptAll(items);
            } catch (RuntimeException e) {
                if (concernsAll(e)) {
                    throw e;
                }
                commitOneByOne(planned, items);
                return;
            }
            answer(planned, items, answers);
        }

        /** One of them cannot be written. The others can, in their order. */
        private void commitOneByOne(List<Entry> planned, List<AcceptItem> items) {
            for (int i = 0; i < items.size(); i++) {
                Entry entry = planned.get(i);
                if (entry.outcome != null) {
                    continue;
                }
                List<AcceptItem> item = items.subList(i, i + 1);
                try {
                    answer(List.of(entry), item, List.of(commits.accept(item.getFirst())));
                } catch (RuntimeException e) {
                    entry.outcome = new BatchOutcome.Failed(e);
                    holdBackBehind(entry);
                    if (concernsAll(e)) {
                        // Not thrown: the batch as a whole can no longer be said to have done nothing.
                        open().forEach(left -> left.outcome = new BatchOutcome.HeldBack(SOON));
                        return;
                    }
                }
            }
        }

        private void answer(List<Entry> planned, List<AcceptItem> items, List<Acceptance> answers) {
            List<AcceptItem> durable = new ArrayList<>();
            for (int i = 0; i < answers.size(); i++) {
                switch (answers.get(i)) {
                    case Acceptance.Accepted fresh -> durable.add(items.get(i));
                    case Acceptance.Rejected rejected -> consumedThenRejected.run();
                    default -> {}
                }
            }
            if (!durable.isEmpty()) {
                accepted.accept(durable);
            }
            for (int i = 0; i < answers.size(); i++) {
                answer(planned.get(i), answers.get(i));
            }
        }

        private void answer(Entry entry, Acceptance answer) {
            entry.outcome = new BatchOutcome.Answered(answer);
            if (entry.pass != null) {
                GateReports.report(entry.pass, entry.submission, answer);
            }
            switch (answer) {
                case Acceptance.InProgress other -> holdBackBehind(entry);
                case Acceptance.OverLimit over -> holdBackBehind(entry);
                case Acceptance.Busy busy -> holdBackBehind(entry);
                default -> {}
            }
        }

        /** Later ones to the same destination must not overtake it. */
        private void holdBackBehind(Entry entry) {
            if (entry.to().kind() == Destination.Kind.WORKFLOW) {
                return;
            }
            for (Entry later : entries.subList(entries.indexOf(entry) + 1, entries.size())) {
                if (later.outcome == null && later.to().equals(entry.to())) {
                    later.outcome = new BatchOutcome.HeldBack(SOON);
                }
            }
        }

        private List<Entry> open() {
            return entries.stream().filter(entry -> entry.outcome == null).toList();
        }

        List<BatchOutcome> outcomes() {
            return entries.stream()
                    .map(entry -> Objects.requireNonNull(entry.outcome, "every submission has an outcome"))
                    .toList();
        }

        /** Lets the repeats of those pass whose outcome is unknown here. */
        void close() {
            for (Entry entry : entries) {
                if (entry.pass != null) {
                    entry.pass.close();
                }
            }
        }
    }

    /** Whether the failure is the database's, and not that of an item. */
    private static boolean concernsAll(RuntimeException failure) {
        return switch (failure) {
            case UnknownOutcomeException unknown -> true;
            case DefiniteFailureException definite ->
                switch (definite.reason()) {
                    case UNAVAILABLE, OVERLOADED, DISK_FULL, CONFLICT -> true;
                    case LOCKED, REFUSED -> false;
                };
            default -> false;
        };
    }
}
