package dev.tallystick.exchange.consumer;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Unwinding;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.consumer.ReceivedStore.Decided;
import dev.tallystick.exchange.consumer.ReceivedStore.Held;
import dev.tallystick.exchange.consumer.ReceivedStore.PostingKey;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.GroupSigner;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import dev.tallystick.sql.UnknownOutcomeException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the handler for leased postings, a bounded number at once, each in its own transaction unless they may share one. The
 * handler's work, its outcome and the result message commit together, and only if the lease still holds. Thread-safe.
 */
final class HandlerRuns {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerRuns.class);

    /** How many leased postings may wait for a thread; more stay with the transport. */
    static final int MAX_WAITING = 1_000;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final int FAILURES_UNTIL_ISSUE = 5;
    private static final int MAX_FAILURE_TEXT = 2_000;

    /** Receives what is to be done after a handler's commit. */
    interface Finished {

        /**
         * Called once for each posting.
         *
         * @param moreAreComing whether other handlers run, or will at once
         */
        void handled(Decided decided, boolean moreAreComing);
    }

    private final Database database;
    private final ReceivedStore store;
    private final OrderStore orders;
    private final Issues issues;
    private final GroupSigner signer;
    private final Handler handler;
    private final ExchangeSettings settings;
    private final Finished finished;
    private final CrashPoints crashPoints;
    private final Semaphore running;
    private final Semaphore waiting = new Semaphore(MAX_WAITING);
    private final Map<PostingKey, Integer> held = new ConcurrentHashMap<>();
    private final Queue<ReceivedRow> ready = new ConcurrentLinkedQueue<>();

    /** Postings whose handlers have not decided. */
    private final AtomicInteger undecided = new AtomicInteger();

    private volatile boolean closed;

    HandlerRuns(
            Database database,
            ReceivedStore store,
            OrderStore orders,
            Issues issues,
            GroupSigner signer,
            Handler handler,
            ExchangeSettings settings,
            Finished finished,
            CrashPoints crashPoints) {
        this.database = database;
        this.store = store;
        this.orders = orders;
        this.issues = issues;
        this.signer = signer;
        this.handler = handler;
        this.settings = settings;
        this.finished = finished;
        this.crashPoints = crashPoints;
        this.running = new Semaphore(settings.handlers());
    }

    /** How many more postings may be leased. */
    int room() {
        return waiting.availablePermits();
    }

    /** Waits until a batch of postings has room, so that the transport keeps what we cannot handle. */
    void awaitRoom() {
        waiting.acquireUninterruptibly(ExchangeSettings.BATCH);
        waiting.release(ExchangeSettings.BATCH);
    }

    /** Runs the handler soon, for as many as have room; the leases of the others run out, and then they are due. */
    void start(List<ReceivedRow> rows) {
        int started = 0;
        for (ReceivedRow row : rows) {
            if (waiting.tryAcquire()) {
                held.put(ReceivedStore.keyOf(row.ref()), row.attempt());
                undecided.incrementAndGet();
                ready.add(row);
                started++;
            }
        }
        int share = settings.handlersPerTransaction();
        for (int runs = (started + share - 1) / share; runs > 0; runs--) {
            Thread.ofVirtual().name("tally-handler").start(this::runNext);
        }
    }

    /** Extends the leases of all that wait or run. */
    void renew() {
        List<Held> all = held.entrySet().stream()
                .map(entry -> new Held(entry.getKey(), entry.getValue()))
                .toList();
        if (!all.isEmpty()) {
            database.transact("renew leases of handlers", tx -> {
                store.renew(tx, all, settings.lease());
                return true;
            });
        }
    }

    /** Starts no more handlers, and waits a while for those that run. */
    void close(Duration limit) {
        closed = true;
        try {
            if (!running.tryAcquire(settings.handlers(), limit.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("handlers still run; their postings are handled again unless they finish");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs what is ready, together as far as it may share a transaction; nothing if other threads have taken it. */
    private void runNext() {
        List<ReceivedRow> rows = new ArrayList<>();
        running.acquireUninterruptibly();
        try {
            ReceivedRow next = ready.poll();
            while (next != null) {
                rows.add(next);
                next = rows.size() < settings.handlersPerTransaction() ? ready.poll() : null;
            }
            if (!closed && !rows.isEmpty()) {
                handle(rows);
            }
        } catch (Unwinding e) {
            // The process is gone.
        } finally {
            running.release();
            rows.forEach(row -> held.remove(ReceivedStore.keyOf(row.ref()), row.attempt()));
            waiting.release(rows.size());
        }
    }

    private void handle(List<ReceivedRow> rows) {
        if (rows.size() == 1) {
            handle(rows.getFirst());
            return;
        }
        try {
            finished(rows.size(), decide(rows));
        } catch (UnknownOutcomeException e) {
            LOG.warn(
                    "it is unknown whether {} postings were handled; the rows tell after their leases", rows.size(), e);
            finished(rows.size(), List.of());
        } catch (Unwinding e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // Nothing happened. By themselves, only the one that failed fails.
            rows.forEach(this::handle);
        }
    }

    private void handle(ReceivedRow row) {
        finished(1, decideUnlessItFails(row));
    }

    /** Empty if the posting was not handled, or that is unknown. */
    private List<Decided> decideUnlessItFails(ReceivedRow row) {
        try {
            return decide(List.of(row));
        } catch (DefiniteFailureException e) {
            if (e.reason() == DefiniteFailureException.Reason.REFUSED) {
                recordFailureUnlessLost(row, e);
            } else {
                LOG.warn(
                        "posting {} was not handled; it is handled again after its lease",
                        row.ref().id(),
                        e);
            }
        } catch (TransactionException e) {
            // If its outcome is unknown, the row tells when the lease has run out.
            LOG.warn(
                    "posting {} was not handled; it is handled again after its lease",
                    row.ref().id(),
                    e);
        } catch (Unwinding e) {
            throw e;
        } catch (RuntimeException | Error e) {
            recordFailure(row, e);
        }
        return List.of();
    }

    private void finished(int attempted, List<Decided> decided) {
        boolean moreAreComing = undecided.addAndGet(-attempted) > 0;
        if (!decided.isEmpty()) {
            crashPoints.reached(ExchangeCrashPoint.OUTCOME_RECORDED);
            decided.forEach(each -> finished.handled(each, moreAreComing));
        }
    }

    private List<Decided> decide(List<ReceivedRow> rows) {
        String name =
                rows.size() == 1 ? "handle posting " + rows.getFirst().ref().id() : "handle postings";
        return database.transact(name, SessionLimits.USERS, tx -> {
            List<Outcome> outcomes = new ArrayList<>(rows.size());
            for (ReceivedRow row : rows) {
                outcomes.add(decideByHandler(row, tx));
            }
            tx.withoutUsers();
            List<Decided> decided = results(rows, outcomes);
            for (ReceivedRow row : rows) {
                if (row.place() != null && !orders.endTurn(tx, row.ref().producer(), row.place())) {
                    throw new HandlerException(new IllegalStateException("it is not the turn of " + row.place()));
                }
            }
            crashPoints.reached(ExchangeCrashPoint.HANDLED);
            store.finish(tx, decided, settings.acknowledgementTimeout());
            return decided;
        });
    }

    /** The signed results. */
    private List<Decided> results(List<ReceivedRow> rows, List<Outcome> outcomes) {
        List<byte[]> digests = new ArrayList<>(rows.size());
        List<byte[]> statements = new ArrayList<>(rows.size());
        for (int i = 0; i < rows.size(); i++) {
            Outcome outcome = outcomes.get(i);
            byte[] digest = Statement.outcomeDigest(outcome.payload(), outcome.why());
            digests.add(digest);
            statements.add(Statement.ofResult(rows.get(i).ref(), outcome.processing(), digest));
        }
        List<BatchSignature> signatures =
                rows.size() == 1 ? List.of(signer.sign(statements.getFirst())) : signer.sign(statements);
        List<Decided> decided = new ArrayList<>(rows.size());
        for (int i = 0; i < rows.size(); i++) {
            Outcome outcome = outcomes.get(i);
            decided.add(new Decided(
                    rows.get(i),
                    outcome.processing(),
                    digests.get(i),
                    new ReceivedRow.Decision(outcome.payload(), outcome.why(), signatures.get(i))));
        }
        return decided;
    }

    private Outcome decideByHandler(ReceivedRow row, Tx tx) throws SQLException {
        try {
            return handler.handle(row.request(), tx);
        } catch (SQLException | RuntimeException e) {
            // The database tells a lost session and a conflict from a failure of the handler.
            throw e;
        } catch (Exception e) {
            throw new HandlerException(e);
        }
    }

    private void recordFailureUnlessLost(ReceivedRow row, DefiniteFailureException failure) {
        if (database.transact("check a lease", tx -> store.holdsLease(tx, row))) {
            recordFailure(row, failure);
        } else {
            LOG.info(
                    "the lease of posting {} was lost; another instance handles it",
                    row.ref().id());
        }
    }

    private void recordFailure(ReceivedRow row, Throwable thrown) {
        Throwable cause = thrown instanceof HandlerException ? thrown.getCause() : null;
        Throwable failure = cause == null ? thrown : cause;
        LOG.warn(
                "the handler failed for posting {}; it is started again",
                row.ref().id(),
                failure);
        String told = String.valueOf(failure).replace('\0', ' ');
        String text = told.length() > MAX_FAILURE_TEXT ? told.substring(0, MAX_FAILURE_TEXT) : told;
        try {
            database.transact("record a handler's failure", tx -> {
                int failures = store.fail(tx, row, text, settings.poll(), LONGEST_PAUSE)
                        .orElse(0);
                if (failures >= FAILURES_UNTIL_ISSUE) {
                    issues.raise(
                            tx,
                            List.of(Issue.of(IssueKind.HANDLER_FAILS, row.ref(), null, failures + " times: " + text)));
                }
                return failures;
            });
            crashPoints.reached(ExchangeCrashPoint.FAILURE_RECORDED);
        } catch (TransactionException e) {
            LOG.warn(
                    "the failure of posting {} was not recorded; it is due after its lease",
                    row.ref().id(),
                    e);
        }
    }

    /** A checked exception of a handler. */
    private static final class HandlerException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        HandlerException(Exception cause) {
            super(cause);
        }
    }
}
