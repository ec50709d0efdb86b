package dev.tallystick.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The lines of an answer that goes on, asked for one by one: who reads slowly holds up the server. Thread-safe. */
final class Lines implements Flow.Subscriber<String>, AutoCloseable {

    /** What came: a line, or the end if it is empty. */
    private record Arrival(@Nullable String line) {}

    private static final Arrival END = new Arrival(null);

    private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    private volatile Flow.@Nullable Subscription subscription;
    private volatile boolean ended;

    /** The next line; empty if none came in time, or if the answer has ended. */
    Optional<String> next(Duration wait) throws InterruptedException {
        if (ended) {
            return Optional.empty();
        }
        Arrival arrival = arrivals.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        if (arrival == null) {
            return Optional.empty();
        }
        if (arrival.line() == null) {
            ended = true;
            return Optional.empty();
        }
        request();
        return Optional.of(arrival.line());
    }

    boolean isEnded() {
        return ended;
    }

    /** Hangs up, and lets go whoever waits. */
    @Override
    public void close() {
        Flow.Subscription begun = subscription;
        if (begun != null) {
            begun.cancel();
        }
        arrivals.add(END);
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
        subscription = begun;
        request();
    }

    @Override
    public void onNext(String line) {
        arrivals.add(new Arrival(line));
    }

    /** What breaks off and what ends in peace are the same to those who come back. */
    @Override
    public void onError(Throwable failure) {
        arrivals.add(END);
    }

    @Override
    public void onComplete() {
        arrivals.add(END);
    }

    private void request() {
        Flow.Subscription begun = subscription;
        if (begun != null) {
            begun.request(1);
        }
    }
}
