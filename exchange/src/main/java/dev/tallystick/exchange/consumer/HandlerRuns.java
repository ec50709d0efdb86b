package dev.tallystick.exchange.consumer;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Unwinding;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.consumer.ReceivedStore.Held;
import dev.tallystick.exchange.consumer.ReceivedStore.PostingKey;
import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.signing.GroupSigner;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the handler for leased postings, each on its own thread, a bounded number at once. The handler's work, its outcome and
 * the result message commit together, and only if the lease still holds. Thread-safe.
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
        void handled(ReceivedRow row, byte[] result);
    }

    private final Database database;
    private final ReceivedStore store;
    private final Issues issues;
    private final GroupSigner signer;
    private final Handler handler;
    private final ExchangeSettings settings;
    private final Finished finished;
    private final CrashPoints crashPoints;
    private final Semaphore running;
    private final Semaphore waiting = new Semaphore(MAX_WAITING);
    private final Map<PostingKey, Integer> held = new ConcurrentHashMap<>();
    private volatile boolean closed;

    HandlerRuns(
            Database database,
            ReceivedStore store,
            Issues issues,
            GroupSigner signer,
            Handler handler,
            ExchangeSettings settings,
            Finished finished,
            CrashPoints crashPoints) {
        this.database = database;
        this.store = store;
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

    /** Runs the handler soon. */
    void start(ReceivedRow row) {
        if (!waiting.tryAcquire()) {
            // Its lease runs out, and then it is due.
            return;
        }
        held.put(ReceivedStore.keyOf(row.ref()), row.attempt());
        Thread.ofVirtual().name("tally-handler").start(() -> run(row));
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

    private void run(ReceivedRow row) {
        try {
            running.acquireUninterruptibly();
            try {
                if (!closed) {
                    handle(row);
                }
            } finally {
                running.release();
            }
        } catch (Unwinding e) {
            // The process is gone.
        } finally {
            held.remove(ReceivedStore.keyOf(row.ref()), row.attempt());
            waiting.release();
        }
    }

    private void handle(ReceivedRow row) {
        byte[] result;
        try {
            result = database.transact("handle posting " + row.ref().id(), SessionLimits.USERS, tx -> decide(row, tx));
        } catch (DefiniteFailureException e) {
            if (e.reason() == DefiniteFailureException.Reason.REFUSED) {
                recordFailureUnlessLost(row, e);
            } else {
                LOG.warn(
                        "posting {} was not handled; it is handled again after its lease",
                        row.ref().id(),
                        e);
            }
            return;
        } catch (TransactionException e) {
            // If its outcome is unknown, the row tells when the lease has run out.
            LOG.warn(
                    "posting {} was not handled; it is handled again after its lease",
                    row.ref().id(),
                    e);
            return;
        } catch (Unwinding e) {
            throw e;
        } catch (RuntimeException | Error e) {
            recordFailure(row, e);
            return;
        }
        crashPoints.reached(ExchangeCrashPoint.OUTCOME_RECORDED);
        finished.handled(row, result);
    }

    private byte[] decide(ReceivedRow row, Tx tx) throws SQLException {
        Outcome outcome = decideByHandler(row, tx);
        tx.withoutUsers();
        PostingRef ref = row.ref();
        byte[] digest = Statement.outcomeDigest(outcome.payload(), outcome.why());
        Message.Body.Result body = new Message.Body.Result(
                outcome.processing(),
                outcome.payload(),
                outcome.why(),
                row.receipt(),
                signer.sign(Statement.ofResult(ref, outcome.processing(), digest)));
        byte[] result = MessageFormat.write(new Message(
                ref,
                new Status(AckStatus.NACKED_RESULT, outcome.processing()),
                0,
                row.inception(),
                null,
                body,
                row.audit()));
        if (row.place() != null && !store.endTurn(tx, ref.producer(), row.place())) {
            throw new HandlerException(new IllegalStateException("it is not the turn of " + row.place()));
        }
        crashPoints.reached(ExchangeCrashPoint.HANDLED);
        store.finish(tx, row, outcome, digest, result, settings.acknowledgementTimeout());
        return result;
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
