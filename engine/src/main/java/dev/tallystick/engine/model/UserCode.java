package dev.tallystick.engine.model;

import dev.tallystick.sql.DefiniteFailureException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs user code (expressions, codecs, key functions of limits) for shared threads. They wait for it up to a time limit and
 * then continue without it. It runs on its own platform threads, so that their CPU time can be measured and the operating
 * system can preempt them. Thread-safe.
 */
public final class UserCode {

    private static final Logger LOG = LoggerFactory.getLogger(UserCode.class);

    private static final int MAX_THREADS = 64;

    /** A thread that does not come back in time is left behind. When so many of this process are, nothing more is begun. */
    static final int MAX_STUCK = 16;

    private static final AtomicInteger STUCK = new AtomicInteger();

    /** So many work for one caller, so that an item that takes long does not hold up all the others. */
    private static final int AT_ONCE = 4;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            MAX_THREADS,
            30,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("tally-user-code-", 0).factory());

    public UserCode() {}

    /** How many threads of this process still run user code that nothing waits for any more. */
    public static int stuck() {
        return STUCK.get();
    }

    /** Something to be done with an item. */
    @FunctionalInterface
    public interface Work<T> {
        void on(T item, Caller caller) throws SQLException;
    }

    /** The waiting thread, which meanwhile does what only it can do. */
    public interface Caller {
        <R> R ask(Callable<R> question) throws SQLException;
    }

    /** For work that already runs on the waiting thread. */
    public static final Caller HERE = new Caller() {
        @Override
        public <R> R ask(Callable<R> question) {
            throw new IllegalStateException("nothing is to be read for what leads to nothing");
        }
    };

    /**
     * The items that were not finished in time.
     *
     * @param late items that took too long although they had a processor for a quarter of the time or more
     * @param starved items that hardly had a processor: the machine is busy, the process was stopped, or the code waits for
     *     something. That says nothing against them
     * @param kept items that were not started, because others took too long
     */
    public record Left<T>(List<T> late, List<T> starved, List<T> kept) {

        public boolean isEmpty() {
            return late.isEmpty() && starved.isEmpty() && kept.isEmpty();
        }
    }

    /**
     * Does the work on all items, and waits at most {@code patience} for all of them together. Rethrows what the work throws.
     */
    public <T> Left<T> each(List<T> items, Duration patience, Work<T> work) throws SQLException {
        if (stuck() >= MAX_STUCK) {
            throw overloaded(stuck());
        }
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
            throw overloaded(MAX_THREADS);
        }
        return round.await(patience);
    }

    private static DefiniteFailureException overloaded(int threads) {
        return new DefiniteFailureException(
                DefiniteFailureException.Reason.OVERLOADED,
                threads
                        + " calls of codecs or expressions have not come back: take a thread dump, and look at the threads"
                        + " tally-user-code-*",
                null);
    }

    /** Where an item is being worked on, and the processor time of that thread before. */
    private record Begun(Thread thread, long processorNanos) {

        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

        static Begun now() {
            Thread thread = Thread.currentThread();
            return new Begun(thread, processorNanos(thread));
        }

        boolean hasRunFor(Duration time) {
            return processorNanos(thread) - processorNanos >= time.toNanos();
        }

        /** Where processor time is not measured, a thread counts as always running. */
        private static long processorNanos(Thread thread) {
            return THREADS.isThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled()
                    ? THREADS.getThreadCpuTime(thread.threadId())
                    : System.nanoTime();
        }
    }

    private static final class Round<T> implements Caller {

        private final List<T> items;
        private final Work<T> work;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger left;
        private final Map<Integer, Begun> begun = new ConcurrentHashMap<>();
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
                    begun.put(i, Begun.now());
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
                if (!helpers.remove(Thread.currentThread())) {
                    STUCK.decrementAndGet();
                }
                // The interrupt was for what was done here.
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
                throw new IllegalStateException("no caller waits for this any more", e);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof SQLException away) {
                    throw away;
                }
                throw new IllegalStateException(e.getCause());
            }
        }

        Left<T> await(Duration patience) throws SQLException {
            long deadline = System.nanoTime() + patience.toNanos();
            Left<T> rest;
            Throwable thrown;
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
                // What an interrupted item returns or throws says nothing about it, so the results are taken before.
                thrown = failure;
                rest = rest(patience);
                helpers.forEach(Thread::interrupt);
                leaveBehind();
                questions.forEach(each -> each.cancel(false));
            }
            rethrow(thrown);
            return rest;
        }

        private Left<T> rest(Duration patience) {
            Left<T> rest = new Left<>(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < items.size(); i++) {
                if (!done.contains(i)) {
                    Begun item = begun.get(i);
                    (item == null ? rest.kept() : item.hasRunFor(patience.dividedBy(4)) ? rest.late() : rest.starved())
                            .add(items.get(i));
                }
            }
            return rest;
        }

        /** Counts the helpers that are still at work as stuck. A helper that finds itself removed is stuck no longer. */
        private void leaveBehind() {
            if (left.get() == 0) {
                return;
            }
            for (Thread helper : List.copyOf(helpers)) {
                STUCK.incrementAndGet();
                if (!helpers.remove(helper)) {
                    STUCK.decrementAndGet();
                } else if (stuck() >= MAX_STUCK) {
                    LOG.error("{} still runs, and so do {} in all: nothing more is begun", helper.getName(), stuck());
                }
            }
        }

        private static void rethrow(@Nullable Throwable failure) throws SQLException {
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
