package dev.tallystick.exchange.consumer;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.consumer.Arrived.Answer;
import dev.tallystick.exchange.consumer.ReceivedStore.Due;
import dev.tallystick.exchange.consumer.ReceivedStore.Step;
import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.GroupSigner;
import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.Incoming;
import dev.tallystick.exchange.transport.Outgoing;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles the postings that are addressed to a participant, as one of its instances. Any number of instances may run on its
 * database.
 *
 * <p>A posting is recorded before its receipt is sent, and handled once; its result is published until the producer has
 * acknowledged it. Repeats of a posting get the stored receipt or result, byte for byte. Thread-safe.
 */
public final class Consumer implements AutoCloseable {

    private static final Duration REST_AFTER_DEADLINE = Duration.ofHours(1);
    private static final Duration BETWEEN_FORGETTING = Duration.ofHours(1);
    private static final int MOST_BATCHES = 1_000;

    /** How long a result waits for others, so that they travel and are recorded together. */
    private static final Duration COMPANY = Duration.ofMillis(3);

    private final Database database;
    private final ExchangeSettings settings;
    private final Transport transport;
    private final Participant self;
    private final GroupSigner signer;
    private final ReceivedStore store;
    private final OrderStore orders;
    private final PostingReceiver receiver;
    private final Outgoing outgoing;
    private final HandlerRuns runs;
    private final Loop sweeper;
    private final Loop renewer;
    private final Loop forgetter;
    private volatile @Nullable Incoming incoming;

    public Consumer(
            Database database,
            GroupCommitter committer,
            Identity identity,
            Partners partners,
            Transport transport,
            Handler handler,
            ExchangeSettings settings) {
        this(database, committer, identity, partners, transport, handler, settings, CrashPoints.NONE);
    }

    public Consumer(
            Database database,
            GroupCommitter committer,
            Identity identity,
            Partners partners,
            Transport transport,
            Handler handler,
            ExchangeSettings settings,
            CrashPoints crashPoints) {
        this.database = database;
        this.settings = settings;
        this.transport = transport;
        self = identity.participant();
        signer = new GroupSigner(identity.key());
        store = new ReceivedStore(self, identity.who());
        orders = new OrderStore(self);
        Issues issues = new Issues(database, self);
        receiver = new PostingReceiver(
                self,
                partners,
                database,
                committer,
                store,
                issues,
                new RecordReceived(store, issues, signer, settings),
                new RecordAcknowledgements(store, issues),
                this::answerAll,
                crashPoints);
        outgoing = new Outgoing(transport, self + "-consumer", crashPoints);
        runs = new HandlerRuns(database, store, orders, issues, signer, handler, settings, this::handled, crashPoints);
        sweeper = Loop.withFirst(Duration.ZERO, "handle-" + self, settings.poll(), this::sweep);
        renewer = new Loop("renew-" + self, settings.lease().dividedBy(3), runs::renew);
        forgetter = new Loop("forget-" + self, BETWEEN_FORGETTING, this::forgetOld);
    }

    /** Begins to receive postings, and to finish what earlier instances left. */
    public void start() {
        sweeper.start();
        renewer.start();
        forgetter.start();
        incoming =
                new Incoming(transport, new Address(Topic.POSTINGS, self), settings.poll(), runs::awaitRoom, receiver);
    }

    /** Messages that the transport took from this instance. */
    public long published() {
        return outgoing.published();
    }

    @Override
    public void close() {
        sweeper.end();
        renewer.end();
        forgetter.end();
        Incoming receiving = incoming;
        if (receiving != null) {
            receiving.close();
        }
        runs.close(settings.lease());
        outgoing.close();
        sweeper.awaitEnd(settings.poll().plusSeconds(5));
        signer.close();
    }

    private void answerAll(List<Answer> answers) {
        List<ReceivedRow> leased = new ArrayList<>();
        answers.forEach(answer -> answer(answer, leased));
        runs.start(leased);
    }

    private void answer(Answer answer, List<ReceivedRow> leased) {
        switch (answer) {
            case Answer.New received -> {
                ReceivedRow row = received.row();
                outgoing.sendAfter(
                        settings.receiptDelay(), addressOf(row.ref()), row.ref().id(), () -> Answers.receipt(row));
                OrderPlace place = row.place();
                if (place == null) {
                    leased.add(row);
                } else {
                    takeTurn(row.ref().producer(), place.key());
                }
            }
            case Answer.Repeated repeated -> send(repeated.row().ref(), () -> Answers.of(repeated.row()));
            case Answer.Refused refused -> {
                Body.Refusal refusal = new Body.Refusal(
                        refused.kind().name(),
                        false,
                        signer.sign(Statement.ofRefusal(
                                refused.ref(), refused.kind().name())));
                Message message = new Message(
                        refused.ref(),
                        new Status(AckStatus.ACKED_POSTING, ProcessingStatus.PENDING),
                        0,
                        Instant.EPOCH,
                        null,
                        refusal,
                        List.of());
                send(refused.ref(), () -> MessageFormat.write(message));
            }
            case Answer.Done done -> {}
        }
    }

    private void send(PostingRef ref, Supplier<byte[]> message) {
        outgoing.send(addressOf(ref), ref.id(), message);
    }

    private static Address addressOf(PostingRef ref) {
        return new Address(Topic.RESULTS, ref.producer());
    }

    /** A result waits a moment for those of the handlers that still run. */
    private void handled(ReceivedStore.Decided decided, boolean moreAreComing) {
        ReceivedRow row = decided.row();
        Supplier<byte[]> result = () -> Answers.result(row, decided.processing(), decided.decision());
        if (moreAreComing) {
            outgoing.sendWithin(COMPANY, addressOf(row.ref()), row.ref().id(), result);
        } else {
            send(row.ref(), result);
        }
        OrderPlace place = row.place();
        if (place != null) {
            takeTurn(row.ref().producer(), place.key());
        }
    }

    private void takeTurn(Participant producer, String orderKey) {
        database.transact("take turn", tx -> orders.takeTurn(tx, producer, orderKey, settings.lease()))
                .ifPresent(row -> runs.start(List.of(row)));
    }

    private void sweep() {
        boolean more = true;
        for (int batch = 0; more && batch < MOST_BATCHES; batch++) {
            int limit = Math.min(ExchangeSettings.BATCH, runs.room());
            List<Due> leased = limit == 0 ? List.of() : database.transact("lease what is due", tx -> lease(tx, limit));
            List<ReceivedRow> undecided = new ArrayList<>();
            for (Due due : leased) {
                if (due.row().decision() != null) {
                    send(due.row().ref(), () -> Answers.of(due.row()));
                } else {
                    undecided.add(due.row());
                }
            }
            runs.start(undecided);
            more = limit > 0 && leased.size() == limit;
        }
    }

    /** Returns those that are to be handled or published now. */
    private List<Due> lease(Tx tx, int limit) throws SQLException {
        List<Step> steps = new ArrayList<>();
        List<Due> all = new ArrayList<>();
        List<Due> ordered = new ArrayList<>();
        for (Due due : store.lockDue(tx, limit)) {
            ReceivedRow row = due.row();
            OrderPlace place = row.place();
            boolean isPending = row.status().processing() == ProcessingStatus.PENDING;
            if (!isPending) {
                steps.add(new Step(ReceivedStore.keyOf(row.ref()), false, true, restOfResult(due)));
            } else if (place == null) {
                steps.add(new Step(ReceivedStore.keyOf(row.ref()), true, false, settings.lease()));
            } else {
                ordered.add(due);
            }
        }
        all.addAll(leaseTurns(tx, ordered, steps));
        List<Due> leased = steps.isEmpty() ? List.of() : store.lease(tx, steps);
        leased.stream().filter(due -> !isWaiting(due)).forEach(all::add);
        return all;
    }

    /** Leases those whose turn it is; the others rest. */
    private List<Due> leaseTurns(Tx tx, List<Due> ordered, List<Step> steps) throws SQLException {
        List<Due> heads = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        for (Due due : ordered) {
            Participant producer = due.row().ref().producer();
            String key = Objects.requireNonNull(due.row().place()).key();
            if (keys.add(producer + " " + key)) {
                orders.takeTurn(tx, producer, key, settings.lease())
                        .ifPresent(head -> heads.add(new Due(head, due.now())));
            }
        }
        Set<MessageId> taken = new HashSet<>();
        heads.forEach(head -> taken.add(head.row().ref().id()));
        for (Due due : ordered) {
            if (!taken.contains(due.row().ref().id())) {
                steps.add(new Step(ReceivedStore.keyOf(due.row().ref()), false, false, settings.lease()));
            }
        }
        return heads;
    }

    private static boolean isWaiting(Due due) {
        return due.row().decision() == null && due.row().place() != null;
    }

    private Duration restOfResult(Due due) {
        ReceivedRow row = due.row();
        if (row.publications() < settings.attempts()) {
            return settings.acknowledgementTimeout();
        }
        boolean late = !row.deadline().isAfter(due.now());
        return late && settings.replayInterval().compareTo(REST_AFTER_DEADLINE) < 0
                ? REST_AFTER_DEADLINE
                : settings.replayInterval();
    }

    private void forgetOld() {
        int forgotten = ExchangeSettings.BATCH;
        for (int batch = 0; forgotten == ExchangeSettings.BATCH && batch < MOST_BATCHES; batch++) {
            forgotten = database.transact(
                    "forget old postings", tx -> store.forget(tx, settings.remember(), ExchangeSettings.BATCH));
        }
    }
}
