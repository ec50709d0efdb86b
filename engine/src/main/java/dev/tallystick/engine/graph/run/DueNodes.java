package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.GraphContext;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Signalled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the due work of graphs that needs no worker.
 *
 * <p>A transition that kills its process does so before any of its writes. So an overdue transition is counted, in a separate
 * commit, before it is started again. From the second count on it is started alone, so that transitions of the same batch are
 * not blamed for it; and after {@link #MAX_BEGUN} starts it ends its job instead. Work done on time pays for none of this.
 */
final class DueNodes {

    /** How many times a transition that never comes back is started, after a first start that is not counted. */
    static final int MAX_BEGUN = 5;

    private static final Logger LOG = LoggerFactory.getLogger(DueNodes.class);

    private static final int BATCH = 200;

    private final Database database;
    private final DueNodeStore store = new DueNodeStore();
    private final DuePostingStore duePostings = new DuePostingStore();
    private final NodeStore graphs;
    private final GraphRegistry registry;
    private final Codec codec;
    private final Function<SentSignal, CompletableFuture<Signalled>> send;
    private final Hand hand;
    private final EngineSettings settings;

    /** The signals being created and sent. */
    private final Set<Guid> sending = ConcurrentHashMap.newKeySet();

    /** The result of a step that was submitted. */
    enum Handed {
        /** It is done, by this or another process. */
        DONE,
        /** Nothing happened, and it is still due. */
        NOT_NOW,
        /** It may or may not be done. */
        UNKNOWN
    }

    /** Submits a step. The future never fails. */
    @FunctionalInterface
    interface Hand {
        CompletableFuture<Handed> in(Lease posting, NodeEvent told);
    }

    DueNodes(
            Database database,
            NodeStore graphs,
            GraphRegistry registry,
            Codec codec,
            Function<SentSignal, CompletableFuture<Signalled>> send,
            Hand hand,
            EngineSettings settings) {
        this.database = database;
        this.graphs = graphs;
        this.registry = registry;
        this.codec = codec;
        this.send = send;
        this.hand = hand;
        this.settings = settings;
    }

    /** Does all due work; returns whether there may be more. */
    boolean doAll() {
        Set<String> known = registry.graphs();
        if (known.isEmpty()) {
            return false;
        }
        List<DueNodeStore.Due> due =
                database.transact("look for what is due", tx -> store.due(tx, known, settings.lease(), BATCH));
        doTogether(due.stream()
                .filter(each -> each.begun() == 0 && !each.overdue())
                .toList());
        doCounted(
                due.stream().filter(each -> each.begun() == 0 && each.overdue()).toList());
        due.stream().filter(each -> each.begun() > 0).forEach(each -> doCounted(List.of(each)));
        return due.size() == BATCH;
    }

    /** The time until the next work falls due, if any. */
    Optional<Duration> next() {
        Set<String> known = registry.graphs();
        return known.isEmpty()
                ? Optional.empty()
                : database.transact("look for the next moment", tx -> duePostings.next(tx, Queues.ofGraphs(known)));
    }

    private void doCounted(List<DueNodeStore.Due> due) {
        if (due.isEmpty()) {
            return;
        }
        Set<Guid> begun = database.transact("begin what is overdue", tx -> store.begin(tx, due, settings.lease()));
        List<DueNodeStore.Due> left = doTogether(due.stream()
                .filter(each -> begun.contains(each.posting().guid()))
                .toList());
        if (!left.isEmpty()) {
            database.transact("give back what is due", tx -> {
                store.giveBack(tx, left, settings.poll());
                return null;
            });
        }
    }

    /** Returns the work that is still due and of which nothing has happened. */
    private List<DueNodeStore.Due> doTogether(List<DueNodeStore.Due> due) {
        List<CompletableFuture<Handed>> told = new ArrayList<>(due.size());
        for (DueNodeStore.Due each : due) {
            told.add(tellOrFail(each));
        }
        List<DueNodeStore.Due> left = new ArrayList<>();
        for (int i = 0; i < due.size(); i++) {
            if (told.get(i).join() == Handed.NOT_NOW) {
                left.add(due.get(i));
            }
        }
        return left;
    }

    /** A transition that cannot proceed for a reason of its own fails its activity; the others proceed. */
    private CompletableFuture<Handed> tellOrFail(DueNodeStore.Due due) {
        if (due.begun() >= MAX_BEGUN) {
            return hand.in(due.posting(), new NodeEvent.Refused(Failures.neverCameBack(due.begun())));
        }
        byte[] input = due.input();
        if (due.child() != null || input == null || due.awaits() != null) {
            return tell(due);
        }
        Guid guid = due.posting().guid();
        if (sending.add(guid)) {
            Thread.ofVirtual().name("tally-signal").start(() -> {
                try {
                    sendOrFail(due, input).join();
                } finally {
                    sending.remove(guid);
                }
            });
        }
        return CompletableFuture.completedFuture(Handed.UNKNOWN);
    }

    /** Creating a signal calls the user's codec, which must not run on the thread that does the due work of all jobs. */
    private CompletableFuture<Handed> sendOrFail(DueNodeStore.Due due, byte[] input) {
        try {
            return send(due, input);
        } catch (TransactionException away) {
            LOG.warn("the signal of {} was not sent and will be tried again", due.posting(), away);
            return CompletableFuture.completedFuture(Handed.NOT_NOW);
        } catch (RuntimeException e) {
            return hand.in(due.posting(), new NodeEvent.Failure(Fault.of(e, codec)));
        }
    }

    private CompletableFuture<Handed> tell(DueNodeStore.Due due) {
        Closed child = due.child();
        if (child != null) {
            return hand.in(
                    due.posting(),
                    child.outcome() == JobOutcome.COMPLETED
                            ? new NodeEvent.Output(child.output())
                            : new NodeEvent.Failure(
                                    "its job was " + child.outcome().text() + ": " + child.error()));
        }
        return hand.in(due.posting(), new NodeEvent.Due(due.awaits()));
    }

    /** Sends a signal under a key of its own, so that a repeat is not a second signal, and then records that it was sent. */
    private CompletableFuture<Handed> send(DueNodeStore.Due due, byte[] input) {
        Lease posting = due.posting();
        GraphType type = typeOf(posting.job());
        String node = posting.activity().name();
        String name = type.signal(node);
        if (name == null) {
            return hand.in(posting, new NodeEvent.Failure(type.changed(node)));
        }
        Map<String, @Nullable Object> order = codec.decode(input, Map.class);
        JobId to;
        try {
            to = JobId.parse(String.valueOf(order.get(GraphContext.JOB)));
        } catch (IllegalArgumentException e) {
            return hand.in(posting, new NodeEvent.Failure("'" + order.get(GraphContext.JOB) + "' is no job's id"));
        }
        SentSignal.Id id = SentSignal.Id.ofSender(to, name, due.key().toString());
        SentSignal signal = new SentSignal(due.mesh(), id, codec.encode(order.get(GraphContext.PAYLOAD)));
        Signalled answer = send.apply(signal).handle((sent, failure) -> sent).join();
        if (answer == null) {
            LOG.warn("the signal of {} was not sent and will be tried again", posting);
            return CompletableFuture.completedFuture(Handed.NOT_NOW);
        }
        byte[] output = codec.encode(Map.of("delivered", answer instanceof Signalled.Kept));
        return hand.in(posting, new NodeEvent.Output(output));
    }

    private GraphType typeOf(JobId id) {
        return database.transact("read job", tx -> graphs.jobs(tx, List.of(id))).values().stream()
                .map(job -> Objects.requireNonNull(registry.type(Queues.of(job.workflow(), job.version()))))
                .findFirst()
                .orElseThrow();
    }
}
