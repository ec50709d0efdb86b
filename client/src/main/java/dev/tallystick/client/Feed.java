package dev.tallystick.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Follows something on a thread of its own, which is a little ahead of whoever asks. So no question takes longer than it may,
 * whatever the connection does, and a close ends every wait at once.
 */
final class Feed<E> implements Following<E> {

    /** Where the events come from. */
    @FunctionalInterface
    interface Source<E> {

        /**
         * Hands on what comes after a position, and returns when nothing can come any more. What it throws is thrown to
         * whoever asks, and the next question begins another reading after the last event that was given.
         */
        void read(long after, Sink<E> sink) throws InterruptedException;
    }

    /** Takes the events; waits while nobody asks for them. */
    @FunctionalInterface
    interface Sink<E> {
        void give(long position, E event) throws InterruptedException;
    }

    /** What came: an event, a failure, or the end if it is neither. */
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
            // Closed: nobody asks any more.
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
        // Lets go whoever waits. If there is no room, it is about to find something anyway.
        boolean unused = arrivals.offer(new Arrival<>(0, null, null));
    }
}
