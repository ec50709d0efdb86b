package dev.tallystick.server.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Where requests wait for something to happen. When the server stops, all of them are answered at once, so that it need not
 * wait for them. Thread-safe.
 */
public final class LongPolls {

    /** The interval between two polls of a mesh's waiting requests, if there are many of them. */
    private static final Duration LOOK = Duration.ofMillis(2);

    /** So few are no burden. */
    private static final Duration LIVELY = LOOK.multipliedBy(50);

    private final Duration longest;
    private final Set<Waiting> waiting = new HashSet<>();
    private final Map<String, Integer> waitingIn = new HashMap<>();
    private final Set<Thread> napping = new HashSet<>();
    private long begun;
    private boolean over;

    public LongPolls(Duration longest) {
        this.longest = longest;
    }

    /** An action that only waits. */
    @FunctionalInterface
    public interface Nap<T> {
        T await() throws InterruptedException;
    }

    /**
     * A waiting request, until it is closed. It is never interrupted between its naps: interrupting a virtual thread that reads
     * from a socket closes the socket. For one thread.
     */
    public final class Waiting implements AutoCloseable {

        private final String mesh;
        private final long number;

        private Waiting(String mesh, long number) {
            this.mesh = mesh;
            this.number = number;
        }

        /**
         * How long to wait before the next poll. The more requests of the mesh wait, the less often each of them polls: so one
         * mesh leaves the database to the others.
         */
        public Duration pace(Duration usual) {
            int company = numberIn(mesh);
            Duration share = LOOK.multipliedBy(company);
            if (share.compareTo(LIVELY) <= 0 || share.compareTo(usual) <= 0) {
                return usual;
            }
            // With jitter: requests that were woken together would all poll at once.
            return share.dividedBy(2).plus(LOOK.multipliedBy(number % company));
        }

        /** Naps, and is interrupted when the server stops; at once if it has stopped. */
        public <T> T in(Nap<T> nap) throws InterruptedException {
            fallAsleep();
            try {
                return nap.await();
            } finally {
                wakeUp();
            }
        }

        public void pause(Duration time) throws InterruptedException {
            if (time.isZero()) {
                return;
            }
            in(() -> new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS));
        }

        /** For requests with much to do between their naps. */
        public void goOn() throws InterruptedException {
            if (areOver()) {
                throw stopping();
            }
        }

        @Override
        public void close() {
            end(this);
        }
    }

    /** How long a request may wait. */
    public Duration longest() {
        return longest;
    }

    public synchronized Waiting begin(String mesh) {
        Waiting request = new Waiting(mesh, begun++);
        waiting.add(request);
        waitingIn.merge(request.mesh, 1, Integer::sum);
        return request;
    }

    /** Ends all waits, now and from now on. */
    public synchronized void endAll() {
        over = true;
        napping.forEach(Thread::interrupt);
    }

    /** The number of waiting requests. */
    public synchronized int number() {
        return waiting.size();
    }

    public synchronized boolean areOver() {
        return over;
    }

    private synchronized int numberIn(String mesh) {
        return waitingIn.getOrDefault(mesh, 0);
    }

    private synchronized void end(Waiting request) {
        if (waiting.remove(request)) {
            waitingIn.computeIfPresent(request.mesh, (mesh, number) -> number == 1 ? null : number - 1);
        }
    }

    private synchronized void fallAsleep() throws InterruptedException {
        if (over) {
            throw stopping();
        }
        napping.add(Thread.currentThread());
    }

    private synchronized void wakeUp() {
        napping.remove(Thread.currentThread());
        if (over) {
            // The interrupt may have come just after the nap, and is not meant for what follows.
            Thread.interrupted();
        }
    }

    private static InterruptedException stopping() {
        return new InterruptedException("the server is stopping");
    }
}
