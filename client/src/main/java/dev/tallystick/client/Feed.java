package dev.tallystick.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Follows a source on its own thread, slightly ahead of the caller. So no call exceeds its time limit, whatever the connection
 * does, and closing ends every wait at once.
 */
final class Feed<E> implements EventStream<E> {

    /** The source of the events. */
    @FunctionalInterface
    interface Source<E> {

        /**
         * Passes on the events after a position, and returns when there can be no more. An exception reaches the next caller,
         * and the call after that starts another reading after the last event that was delivered.
         */
        void read(long after, Sink<E> sink) throws InterruptedException;
    }

    /** Takes the events; waits until they are asked for. */
    @FunctionalInterface
    interface Sink<E> {
        void give(long position, E event) throws InterruptedException;
    }

    /** An event, a failure, or the end if it is neither. */
    private record Arrival<E>(
            long position, @Nullable E event, @Nullable RuntimeException failure) {}

    private static final int AHEAD = 16;

    private final Source<E> source;
    private final BlockingQueue<Arrival<E>> arrivals = new ArrayBlockingQueue<>(AHEAD);
    private long position;
    private volatile boolean over;
    private volatile @Nullable Thread reader;

    Feed(Source<E> source, long after) {
        this.source = source;
        this.position = after;
    }

    @Override
    public Optional<E> next(Duration wait) {
        if (over) {
            return Optional.empty();
        }
        if (reader == null) {
            startReading();
        }
        Arrival<E> arrival;
        try {
            arrival = arrivals.poll(Durations.nanos(wait), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException(
                    "interrupted", new AttemptFailure(AttemptFailure.Kind.INTERRUPTED, null, "interrupted"), e);
        }
        if (arrival == null || over) {
            return Optional.empty();
        }
        if (arrival.failure() != null) {
            reader = null;
            throw arrival.failure();
        }
        if (arrival.event() == null) {
            over = true;
            return Optional.empty();
        }
        position = arrival.position();
        return Optional.of(arrival.event());
    }

    private void startReading() {
        long after = position;
        Thread started = Thread.ofVirtual().name("tally-following").unstarted(() -> read(after));
        reader = started;
        started.start();
        if (over) {
            started.interrupt();
        }
    }

    private void read(long after) {
        try {
            Arrival<E> last = new Arrival<>(after, null, null);
            try {
                source.read(after, (place, event) -> arrivals.put(new Arrival<>(place, event, null)));
            } catch (RuntimeException e) {
                last = new Arrival<>(after, null, e);
            }
            arrivals.put(last);
        } catch (InterruptedException e) {
            // Closed: the caller has stopped asking.
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public void close() {
        over = true;
        Thread reading = reader;
        if (reading != null) {
            reading.interrupt();
        }
        // Wakes waiting callers. If the queue is full, they are about to find something anyway.
        boolean unused = arrivals.offer(new Arrival<>(0, null, null));
    }
}
