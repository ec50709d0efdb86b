package dev.tallystick.exchange;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The limits and intervals of a participant.
 *
 * @param inFlight how many postings of an instance may be published and unanswered at once
 * @param acknowledgementTimeout how long to wait for an answer before the next attempt
 * @param attempts how often to publish before we wait for the next replay
 * @param replayInterval how long an unanswered message rests between replays; after the deadline it rests an hour
 * @param deadline how long a posting may take before an issue is raised, unless its draft says otherwise
 * @param replayFor how long the producer replays a posting; shorter than {@code remember}
 * @param remember how long the consumer remembers the ids of postings
 * @param lease how long a handler's lease lasts without a renewal
 * @param handlers how many handlers of an instance run at once; each needs a connection
 * @param handlersPerTransaction how many handlers may share a transaction, one after the other. More than one is faster, and
 *     only for handlers that do nothing slow: a transaction ends with its last handler, and if one of them fails, the others run
 *     again without it
 * @param receiptDelay how long a receipt waits for the result to travel with it
 * @param poll how often to look for due messages when nothing signals them
 */
public record ExchangeSettings(
        int inFlight,
        Duration acknowledgementTimeout,
        int attempts,
        Duration replayInterval,
        Duration deadline,
        Duration replayFor,
        Duration remember,
        Duration lease,
        int handlers,
        int handlersPerTransaction,
        Duration receiptDelay,
        Duration poll) {

    public static final ExchangeSettings DEFAULT = new ExchangeSettings(
            32,
            Duration.ofSeconds(10),
            5,
            Duration.ofSeconds(60),
            Duration.ofHours(24),
            Duration.ofDays(365),
            Duration.ofDays(400),
            Duration.ofSeconds(30),
            8,
            1,
            Duration.ofMillis(20),
            Duration.ofSeconds(1));

    /** The most messages that one transaction records, and that one publication carries. */
    public static final int BATCH = 500;

    public ExchangeSettings {
        if (inFlight < 1 || attempts < 1 || handlers < 1 || handlersPerTransaction < 1) {
            throw new IllegalArgumentException("need at least one posting in flight, one attempt and one handler");
        }
        if (replayFor.compareTo(remember) >= 0) {
            throw new IllegalArgumentException("the consumer must remember ids for longer than the producer replays: "
                    + remember + " is not longer than " + replayFor);
        }
    }

    /** These settings with other intervals, as tests use them. */
    public ExchangeSettings withIntervals(Duration acknowledgement, Duration replay, Duration leases, Duration polls) {
        return with(draft -> {
            draft.acknowledgementTimeout = acknowledgement;
            draft.replayInterval = replay;
            draft.lease = leases;
            draft.poll = polls;
        });
    }

    public ExchangeSettings withDeadline(Duration other) {
        return with(draft -> draft.deadline = other);
    }

    public ExchangeSettings withReceiptDelay(Duration other) {
        return with(draft -> draft.receiptDelay = other);
    }

    public ExchangeSettings withParallelism(int postings, int handlersAtOnce) {
        return with(draft -> {
            draft.inFlight = postings;
            draft.handlers = handlersAtOnce;
        });
    }

    public ExchangeSettings withHandlersPerTransaction(int number) {
        return with(draft -> draft.handlersPerTransaction = number);
    }

    private ExchangeSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.settings();
    }

    /** A copy that can be changed. */
    private static final class Draft {

        private int inFlight;
        private Duration acknowledgementTimeout;
        private final int attempts;
        private Duration replayInterval;
        private Duration deadline;
        private final Duration replayFor;
        private final Duration remember;
        private Duration lease;
        private int handlers;
        private int handlersPerTransaction;
        private Duration receiptDelay;
        private Duration poll;

        Draft(ExchangeSettings from) {
            this.inFlight = from.inFlight;
            this.acknowledgementTimeout = from.acknowledgementTimeout;
            this.attempts = from.attempts;
            this.replayInterval = from.replayInterval;
            this.deadline = from.deadline;
            this.replayFor = from.replayFor;
            this.remember = from.remember;
            this.lease = from.lease;
            this.handlers = from.handlers;
            this.handlersPerTransaction = from.handlersPerTransaction;
            this.receiptDelay = from.receiptDelay;
            this.poll = from.poll;
        }

        ExchangeSettings settings() {
            return new ExchangeSettings(
                    inFlight,
                    acknowledgementTimeout,
                    attempts,
                    replayInterval,
                    deadline,
                    replayFor,
                    remember,
                    lease,
                    handlers,
                    handlersPerTransaction,
                    receiptDelay,
                    poll);
        }
    }
}
