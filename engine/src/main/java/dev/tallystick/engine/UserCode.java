package dev.tallystick.engine;

import dev.tallystick.sql.DefiniteFailureException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs user code (expressions, codecs, key functions of limits) for shared threads. They wait for it up to a time limit and
 * then continue without it. It runs on its own platform threads, so that their CPU time can be measured and the operating
 * system can preempt them. Thread-safe.
 */
final class UserCode {

    /** A thread that never returns is abandoned. At this number of threads, no more work is started. */
    private static final int MAX_THREADS = 64;

    /** The threads per caller, so that a slow item does not hold up all the others. */
    private static final int AT_ONCE = 4;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            MAX_THREADS,
            30,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("tally-user-code-", 0).factory());

    /** Work to do on an item. */
    @FunctionalInterface
    interface Work<T> {
        void on(T item, Caller caller) throws SQLException;
    }

    /** The waiting thread, which meanwhile does what only it can do. */
    interface Caller {
        <R> R ask(Callable<R> question) throws SQLException;
    }

    /** For work that already runs on the waiting thread. */
    static final Caller HERE = new Caller() {
        @Override
        public <R> R ask(Callable<R> question) {
            throw new IllegalStateException("nothing is to be read for what leads to nothing");
        }
    };

    /**
     * The items that were not finished in time.
     *
     * @param late items that were started and took too long
     * @param kept items that were not started, because others took too long
     */
    record Left<T>(List<T> late, List<T> kept) {

        boolean isEmpty() {
            return late.isEmpty() && kept.isEmpty();
        }
    }

    /**
     * Does the work on all items, and waits at most {@code patience} for all of them together. Rethrows what the work throws.
     */
    <T> Left<T> each(List<T> items, Duration patience, Work<T> work) throws SQLException {
        Round<T> round = new Round<>(items, work);
        int helpers = 0;
        try {
            while (helpers < Math.min(AT_ONCE, items.size())) {
                threads.execute(round::help);
                helpers++;
            }
        } catch (RejectedExecutionException full) {
            // The helpers that did start do it all; with none, this fails below.
        }
        if (helpers == 0) {
            throw new DefiniteFailureException(
                    DefiniteFailureException.Reason.OVERLOADED,
                    MAX_THREADS + " calls of codecs or expressions have not come back: see what they wait for",
                    null);
        }
        return round.await(System.nanoTime() + patience.toNanos());
    }

    private static final class Round<T> implements Caller {

        private final List<T> items;
        private final Work<T> work;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger left;
        private final Set<Integer> begun = ConcurrentHashMap.newKeySet();
        private final Set<Integer> done = ConcurrentHashMap.newKeySet();
        private final Set<Thread> helpers = ConcurrentHashMap.newKeySet();
        private final BlockingQueue<FutureTask<?>> questions = new LinkedBlockingQueue<>();
        private final FutureTask<?> end = new FutureTask<>(() -> {}, null);
        private volatile @Nullable Throwable failure;
        private volatile boolean over;

        Round(List<T> items, Work<T> work) {
            this.items = items;
            this.work = work;
            this.left = new AtomicInteger(items.size());
        }

        void help() {
            helpers.add(Thread.currentThread());
            try {
                for (int i = next.getAndIncrement(); i < items.size() && !over; i = next.getAndIncrement()) {
                    begun.add(i);
                    work.on(items.get(i), this);
                    done.add(i);
                    if (left.decrementAndGet() == 0) {
                        questions.add(end);
                    }
                }
            } catch (Throwable e) {
                failure = e;
                questions.add(end);
            } finally {
                helpers.remove(Thread.currentThread());
                // The interrupt was for the work done here.
                boolean unused = Thread.interrupted();
            }
        }

        @Override
        public <R> R ask(Callable<R> question) throws SQLException {
            FutureTask<R> asked = new FutureTask<>(question);
            questions.add(asked);
            if (over) {
                asked.cancel(false);
            }
            try {
                return asked.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("nobody waits for this any more", e);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof SQLException away) {
                    throw away;
                }
                throw new IllegalStateException(e.getCause());
            }
        }

        Left<T> await(long deadline) throws SQLException {
            try {
                FutureTask<?> asked = questions.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                while (asked != null && !asked.equals(end)) {
                    asked.run();
                    asked = questions.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                over = true;
                helpers.forEach(Thread::interrupt);
                questions.forEach(each -> each.cancel(false));
            }
            throwFailure();
            Left<T> rest = new Left<>(new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < items.size() && left.get() > 0; i++) {
                if (!done.contains(i)) {
                    (begun.contains(i) ? rest.late() : rest.kept()).add(items.get(i));
                }
            }
            return rest;
        }

        private void throwFailure() throws SQLException {
            switch (failure) {
                case null -> {}
                case SQLException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        }
    }
}
