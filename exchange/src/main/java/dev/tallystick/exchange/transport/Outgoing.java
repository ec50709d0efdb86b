package dev.tallystick.exchange.transport;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Unwinding;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.sql.LastingThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes messages, as many at once as possible: each publication costs both sides a transaction. A newer message about the
 * same posting replaces one that has not gone out: a result needs no receipt before it. Keeps nothing: a message that is lost
 * here is due again in the database. Thread-safe.
 */
public final class Outgoing implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Outgoing.class);

    /** Beyond this, messages wait in the database until they are due again. */
    private static final int MAX_QUEUED = 10_000;

    /** The most bytes in one publication, unless a single message is longer. */
    private static final int MAX_BYTES = 4 << 20;

    /** Messages that become ready together do so within this time. */
    private static final Duration GATHER = Duration.ofNanos(300_000);

    private record Key(Address address, MessageId id) {}

    /**
     * A message that waits.
     *
     * @param readyAt when it goes out at the latest
     * @param mayGoEarly whether it goes with others before that
     */
    private record Entry(Supplier<byte[]> message, long readyAt, boolean mayGoEarly) {}

    private final Transport transport;
    private final CrashPoints crashPoints;
    private final Thread thread;
    private final LongAdder published = new LongAdder();
    private final LongAdder failed = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Key, Entry> queue = new LinkedHashMap<>();
    private boolean closed;

    /** When the thread looks at the queue again by itself. */
    private long looksAt = Long.MAX_VALUE;

    public Outgoing(Transport transport, String name, CrashPoints crashPoints) {
        this.transport = transport;
        this.crashPoints = crashPoints;
        this.thread = Thread.ofVirtual().name("tally-" + name + "-out").start(() -> LastingThreads.last(this::run));
    }

    /**
     * Sends a message at once, or a newer one in its place.
     *
     * @param message makes its bytes if it goes out
     */
    public void send(Address address, MessageId id, Supplier<byte[]> message) {
        add(address, id, message, GATHER, true);
    }

    /** As {@link #send}, but without haste: with the next message to the same address, or after this time. */
    public void sendWithin(Duration time, Address address, MessageId id, Supplier<byte[]> message) {
        add(address, id, message, time, true);
    }

    /** As {@link #send}, but after this time, unless a newer message about the same posting replaces it. */
    public void sendAfter(Duration time, Address address, MessageId id, Supplier<byte[]> message) {
        add(address, id, message, time, false);
    }

    private void add(Address address, MessageId id, Supplier<byte[]> message, Duration wait, boolean mayGoEarly) {
        lock.lock();
        try {
            if (queue.size() < MAX_QUEUED && !closed) {
                long readyAt = System.nanoTime() + wait.toNanos();
                queue.put(new Key(address, id), new Entry(message, readyAt, mayGoEarly));
                if (looksAt == Long.MAX_VALUE || readyAt - looksAt < 0) {
                    changed.signalAll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many messages the transport has taken. */
    public long published() {
        return published.sum();
    }

    /** How many messages the transport has not taken. */
    public long failed() {
        return failed.sum();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (true) {
            Map<Address, List<Supplier<byte[]>>> ready = awaitReady();
            if (ready.isEmpty()) {
                return;
            }
            ready.forEach(this::publish);
        }
    }

    /** Empty once this is closed. */
    private Map<Address, List<Supplier<byte[]>>> awaitReady() {
        lock.lock();
        try {
            Map<Address, List<Supplier<byte[]>>> ready = new HashMap<>();
            long next = take(ready);
            while (ready.isEmpty() && !closed) {
                awaitChange(next);
                next = take(ready);
            }
            return ready;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // its caller is the loop
    private void awaitChange(long nanos) {
        try {
            looksAt = nanos == Long.MAX_VALUE ? nanos : System.nanoTime() + nanos;
            long unused = changed.awaitNanos(nanos);
        } catch (InterruptedException e) {
            // Only close() ends this.
        }
    }

    /** Takes the messages to all addresses that have a ready one; if there is none, returns how long it is until one is. */
    private long take(Map<Address, List<Supplier<byte[]>>> ready) {
        long now = System.nanoTime();
        long next = Long.MAX_VALUE;
        for (Map.Entry<Key, Entry> each : queue.entrySet()) {
            long left = closed ? 0 : each.getValue().readyAt() - now;
            next = Math.min(next, left);
            if (left <= 0) {
                ready.computeIfAbsent(each.getKey().address(), first -> new ArrayList<>());
            }
        }
        if (ready.isEmpty()) {
            return next;
        }
        Iterator<Map.Entry<Key, Entry>> entries = queue.entrySet().iterator();
        for (int taken = 0; entries.hasNext() && taken < ExchangeSettings.BATCH; ) {
            Map.Entry<Key, Entry> each = entries.next();
            List<Supplier<byte[]>> travelling = ready.get(each.getKey().address());
            boolean goes =
                    closed || each.getValue().mayGoEarly() || each.getValue().readyAt() - now <= 0;
            if (travelling != null && goes) {
                travelling.add(each.getValue().message());
                taken++;
                entries.remove();
            }
        }
        ready.values().removeIf(List::isEmpty);
        return next;
    }

    private void publish(Address address, List<Supplier<byte[]>> made) {
        List<byte[]> part = new ArrayList<>();
        long bytes = 0;
        for (Supplier<byte[]> each : made) {
            byte[] message = each.get();
            if (bytes + message.length > MAX_BYTES && !part.isEmpty()) {
                send(address, part);
                part = new ArrayList<>();
                bytes = 0;
            }
            part.add(message);
            bytes += message.length;
        }
        send(address, part);
    }

    private void send(Address address, List<byte[]> messages) {
        try {
            transport.publish(address, messages);
            published.add(messages.size());
            crashPoints.reached(ExchangeCrashPoint.PUBLISHED);
        } catch (TransportException e) {
            failed.add(messages.size());
            LOG.warn("{} messages to {} were not published; they are due again later", messages.size(), address, e);
        } catch (Unwinding e) {
            throw e;
        } catch (RuntimeException | Error e) {
            failed.add(messages.size());
            LOG.error("{} messages to {} were not published; they are due again later", messages.size(), address, e);
        }
    }
}
