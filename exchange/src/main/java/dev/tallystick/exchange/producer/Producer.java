package dev.tallystick.exchange.producer;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Arrivals.Answer;
import dev.tallystick.exchange.signing.GroupSigner;
import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.Incoming;
import dev.tallystick.exchange.transport.Outgoing;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Posts to partners, as one instance of a participant. Any number of instances may run on its database.
 *
 * <p>A posting is published until the consumer's receipt or result is recorded, and replayed until its result is: on start, and
 * then whenever it is due, by one instance. Its outcome is what the consumer has signed; no deadline makes one up. Thread-safe.
 */
public final class Producer implements AutoCloseable {

    private static final Duration LONG_AGO = Duration.ofDays(365_000);
    private static final int MOST_BATCHES = 1_000;

    /** The caller's transaction has most likely committed by then. */
    private static final Duration SOON_COMMITTED = Duration.ofMillis(10);

    private final Database database;
    private final GroupCommitter committer;
    private final ExchangeSettings settings;
    private final CrashPoints crashPoints;
    private final Participant self;
    private final GroupSigner signer;
    private final PostingStore store;
    private final OriginStore originStore;
    private final Issues issues;
    private final RecordPostings recording;
    private final ResultReceiver receiver;
    private final Transport transport;
    private final Outgoing outgoing;
    private final InFlight inFlight;
    private final Waiters waiters;
    private final Loop sweeper;
    private volatile @Nullable Incoming incoming;
    private volatile @Nullable OriginTeller teller;
    private volatile Supplier<Optional<String>> checkpoints = Optional::empty;
    private volatile String checkpoint = "";
    private volatile boolean started;

    /** Whether postings were recorded and not published, because too many were in flight. */
    private volatile boolean someAreHeld;

    public Producer(
            Database database,
            GroupCommitter committer,
            Identity identity,
            Partners partners,
            Transport transport,
            ExchangeSettings settings) {
        this(database, committer, identity, partners, transport, settings, CrashPoints.NONE);
    }

    public Producer(
            Database database,
            GroupCommitter committer,
            Identity identity,
            Partners partners,
            Transport transport,
            ExchangeSettings settings,
            CrashPoints crashPoints) {
        this.database = database;
        this.committer = committer;
        this.settings = settings;
        this.crashPoints = crashPoints;
        this.transport = transport;
        self = identity.participant();
        signer = new GroupSigner(identity.key());
        store = new PostingStore(self, identity.who());
        originStore = new OriginStore(self);
        issues = new Issues(database, self);
        recording = new RecordPostings(store, signer, settings);
        receiver = new ResultReceiver(
                self,
                partners,
                database,
                committer,
                store,
                issues,
                new RecordReceipts(store, issues, settings),
                new RecordResults(store, issues, signer),
                this::answer,
                crashPoints);
        outgoing = new Outgoing(transport, self + "-producer", crashPoints);
        inFlight = new InFlight(settings.inFlight(), settings.acknowledgementTimeout());
        waiters = new Waiters(database, store);
        sweeper = Loop.withFirst(Duration.ZERO, "replay-" + self, settings.poll(), this::sweep);
    }

    /** Passes the outcomes of postings to their {@linkplain Draft#origin origins}. Call it before {@link #start}. */
    public void tell(Origins origins) {
        teller = new OriginTeller(database, self, origins, settings.poll());
    }

    /**
     * Signs the newest checkpoint of our sealed log with each posting, so that the consumer holds evidence of what the log said.
     * Call it before {@link #start}.
     *
     * @param newest asked on start and at each poll; empty if there is none
     */
    public void checkpoints(Supplier<Optional<String>> newest) {
        checkpoints = newest;
    }

    /** Begins to receive results, and to publish what is due. */
    public void start() {
        sweeper.start();
        OriginTeller telling = teller;
        if (telling != null) {
            telling.start();
        }
        incoming = new Incoming(transport, new Address(Topic.RESULTS, self), settings.poll(), () -> {}, receiver);
    }

    /** Records a posting in its own transaction, and publishes it. Completes when it is recorded. */
    public CompletableFuture<Posted> post(Draft draft) {
        boolean publishing = inFlight.enter(draft.id());
        CompletableFuture<RecordPostings.Answer> answer = recording.record(committer, newPosting(draft, publishing));
        return answer.handleAsync(
                (recorded, failure) -> {
                    PostingRow row = recorded == null ? null : recorded.row();
                    if (row != null && publishing) {
                        crashPoints.reached(ExchangeCrashPoint.POSTING_RECORDED);
                        publish(row);
                    } else if (publishing) {
                        leave(draft.id());
                    } else {
                        someAreHeld = true;
                    }
                    if (recorded == null) {
                        throw new CompletionException(failure);
                    }
                    return recorded.posted();
                },
                Thread::startVirtualThread);
    }

    /**
     * Posts, and completes with the outcome.
     *
     * @throws IllegalArgumentException in the future, if another posting has this id
     */
    public CompletableFuture<Settled> request(Draft draft) {
        CompletableFuture<Settled> settled = waiters.awaitNew(draft.id());
        CompletableFuture<Posted> posted = post(draft);
        return posted.thenCompose(answer -> switch (answer) {
            case Posted.Recorded recorded -> settled;
            case Posted.Repeated repeated -> waiters.await(draft.id());
            case Posted.IdReused reused ->
                CompletableFuture.failedFuture(new IllegalArgumentException(
                        "posting " + draft.id() + " was recorded with other content: use another id"));
        });
    }

    /** A posting was answered, so another one may go out. */
    private void leave(MessageId id) {
        inFlight.leave(id);
        if (someAreHeld) {
            someAreHeld = false;
            sweeper.ring();
        }
    }

    /**
     * Records a posting in the caller's transaction. It is published after the commit: soon if {@link #wake()} is called then,
     * otherwise at the next poll.
     */
    public Posted post(Tx tx, Draft draft) throws SQLException {
        return post(tx, List.of(draft)).getFirst();
    }

    /** As {@link #post(Tx, Draft)}, for postings with different ids. The origins of repeated postings learn the outcome too. */
    public List<Posted> post(Tx tx, List<Draft> drafts) throws SQLException {
        List<NewPosting> postings =
                drafts.stream().map(draft -> newPosting(draft, false)).toList();
        List<Posted> posted = new ArrayList<>();
        List<Draft> repeated = new ArrayList<>();
        for (RecordPostings.@Nullable Answer answer : recording.apply(tx, postings)) {
            Posted each = Objects.requireNonNull(answer).posted();
            Draft draft = drafts.get(posted.size());
            if (each instanceof Posted.Repeated && draft.origin() != null) {
                repeated.add(draft);
            }
            posted.add(each);
        }
        if (!repeated.isEmpty()) {
            originStore.add(tx, repeated);
        }
        sweeper.ringIn(SOON_COMMITTED);
        return posted;
    }

    /** Publishes what is due. */
    public void wake() {
        sweeper.ring();
    }

    /** The outcome of a posting, once it has one, whichever instance records it. */
    public CompletableFuture<Settled> result(MessageId id) {
        return waiters.await(id);
    }

    /** The outcome of a posting, if it has one. */
    public Optional<Settled> settled(MessageId id) {
        return database.read("read an outcome", tx -> store.outcome(tx, id));
    }

    /** Messages that the transport took from this instance, and that it did not take. */
    public long published() {
        return outgoing.published();
    }

    public long unpublished() {
        return outgoing.failed();
    }

    @Override
    public void close() {
        sweeper.end();
        Incoming receiving = incoming;
        if (receiving != null) {
            receiving.close();
        }
        outgoing.close();
        sweeper.awaitEnd(settings.poll().plusSeconds(5));
        OriginTeller telling = teller;
        if (telling != null) {
            telling.end(settings.poll().plusSeconds(5));
        }
        signer.close();
        waiters.close();
    }

    private NewPosting newPosting(Draft draft, boolean publishing) {
        PostingRef ref = new PostingRef(
                self,
                draft.consumer(),
                draft.id(),
                Statement.fingerprint(draft.payload(), draft.orderKey()),
                checkpoint);
        Duration deadline = draft.deadline() == null ? settings.deadline() : draft.deadline();
        return new NewPosting(draft, ref, deadline, publishing);
    }

    private void publish(PostingRow row) {
        outgoing.send(
                new Address(Topic.POSTINGS, row.ref().consumer()),
                row.ref().id(),
                () -> MessageFormat.write(row.message()));
    }

    /** Sends the acknowledgement or the refusal of a result; neither is urgent, so it goes with the next posting if there is one. */
    private void answer(Answer answer, Body body) {
        switch (answer) {
            case Answer.Done done -> leave(done.ref().id());
            case Answer.Acknowledged acknowledged -> {
                leave(acknowledged.ref().id());
                Body.Acknowledgement acknowledgement = new Body.Acknowledgement(
                        acknowledged.processing(), Payload.of(acknowledged.outcomeDigest()), acknowledged.signature());
                send(
                        acknowledged.ref(),
                        new Status(AckStatus.ACKED_RESULT, acknowledged.processing()),
                        acknowledgement);
                if (acknowledged.isNew() && body instanceof Body.Result result) {
                    ringTeller();
                    waiters.complete(acknowledged.ref().id(), settledBy(result));
                }
            }
            case Answer.Refused refused -> {
                if (body instanceof Body.Result result) {
                    Body.Refusal refusal = new Body.Refusal(
                            refused.kind().name(),
                            true,
                            signer.sign(Statement.ofRefusal(
                                    refused.ref(), refused.kind().name())));
                    send(refused.ref(), new Status(AckStatus.NACKED_RESULT, result.processing()), refusal);
                }
            }
        }
    }

    private void ringTeller() {
        OriginTeller telling = teller;
        if (telling != null) {
            telling.ring();
        }
    }

    private void send(PostingRef ref, Status status, Body body) {
        // The trail of these is that of the records; a time would make a repeat differ.
        Message message = new Message(ref, status, 0, Instant.EPOCH, null, body, List.of());
        outgoing.sendWithin(
                settings.receiptDelay(),
                new Address(Topic.POSTINGS, ref.consumer()),
                ref.id(),
                () -> MessageFormat.write(message));
    }

    private static Settled settledBy(Body.Result result) {
        return switch (result.processing()) {
            case OK -> new Settled.Ok(result.payload());
            case REJECTED -> new Settled.Rejected(result.reason(), result.payload());
            case PENDING -> throw new IllegalStateException("a result is OK or REJECTED");
        };
    }

    /** Publishes what is due; the first time also what a dead instance has left unanswered. */
    private void sweep() {
        Duration unpublishedFor = started ? LONG_AGO : settings.acknowledgementTimeout();
        boolean more = true;
        for (int batch = 0; more && batch < MOST_BATCHES; batch++) {
            more = publishDue(unpublishedFor);
        }
        started = true;
        checkpoint = checkpoints.get().orElse("");
        waiters.poll();
    }

    private boolean publishDue(Duration unpublishedFor) {
        int limit = Math.min(ExchangeSettings.BATCH, inFlight.free());
        if (limit == 0) {
            return false;
        }
        List<PostingRow> due =
                database.transact("count what is published again", tx -> count(tx, unpublishedFor, limit));
        if (!due.isEmpty()) {
            crashPoints.reached(ExchangeCrashPoint.REPLAY_COUNTED);
        }
        for (PostingRow row : due) {
            inFlight.enter(row.ref().id());
            publish(row);
        }
        someAreHeld |= due.size() == limit;
        return due.size() == limit;
    }

    private List<PostingRow> count(Tx tx, Duration unpublishedFor, int limit) throws SQLException {
        List<PostingStore.Due> due = store.lockDue(tx, unpublishedFor, limit);
        if (due.isEmpty()) {
            return List.of();
        }
        List<NextStep> steps = new ArrayList<>();
        List<Issue> raised = new ArrayList<>();
        for (PostingStore.Due each : due) {
            NextStep step = NextStep.of(each, settings);
            steps.add(step);
            PostingRef ref = each.row().ref();
            if (step.newlyMissed(each)) {
                raised.add(Issue.of(
                        IssueKind.DEADLINE_MISSED,
                        ref,
                        null,
                        "no result by " + each.row().deadline()));
            }
            if (step.isExpired()) {
                raised.add(Issue.of(IssueKind.REPLAY_EXPIRED, ref, null, "replayed for " + settings.replayFor()));
            }
        }
        List<PostingRow> counted = store.count(tx, steps);
        issues.raise(tx, raised);
        List<MessageId> publishing =
                steps.stream().filter(NextStep::publishes).map(NextStep::id).toList();
        return counted.stream()
                .filter(row -> publishing.contains(row.ref().id()))
                .toList();
    }

    /** Waits for a posting to be recorded; throws what the transaction threw. */
    public static Posted join(CompletableFuture<Posted> posted) {
        try {
            return posted.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof TransactionException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
