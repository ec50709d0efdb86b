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
 * Publishes messages, all that are ready at once. A newer message about the same posting replaces one that has not gone out: a
 * result needs no receipt before it. Keeps nothing: a message that is lost here is due again in the database. Thread-safe.
 */
public final class Outgoing implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Outgoing.class);

    /** Beyond this, messages wait in the database until they are due again. */
    private static final int MAX_QUEUED = 10_000;

    /** The most bytes in one publication, unless a single message is longer. */
    private static final int MAX_BYTES = 4 << 20;

    /** Messages that are ready at about the same time travel together, which saves both sides a transaction. */
    private static final long GATHER_NANOS = 1_000_000;

    private record Key(Address address, MessageId id) {}

    private record Entry(Supplier<byte[]> message, long readyAt) {}

    private final Transport transport;
    private final CrashPoints crashPoints;
    private final Thread thread;
    private final LongAdder published = new LongAdder();
    private final LongAdder failed = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Key, Entry> queue = new LinkedHashMap<>();
    private boolean closed;

    public Outgoing(Transport transport, String name, CrashPoints crashPoints) {
        this.transport = transport;
        this.crashPoints = crashPoints;
        this.thread = Thread.ofVirtual().name("tally-" + name + "-out").start(() -> LastingThreads.last(this::run));
    }

    public void send(Address address, MessageId id, Supplier<byte[]> message) {
        send(address, id, message, Duration.ZERO);
    }

    /**
     * Sends a message, or a newer one in its place.
     *
     * @param message makes its bytes if it goes out
     * @param delay how long it may wait for a newer message about the same posting
     */
    public void send(Address address, MessageId id, Supplier<byte[]> message, Duration delay) {
        lock.lock();
        try {
            if (queue.size() < MAX_QUEUED && !closed) {
                boolean isFirst = queue.isEmpty();
                long wait = Math.max(delay.toNanos(), GATHER_NANOS);
                queue.put(new Key(address, id), new Entry(message, System.nanoTime() + wait));
                if (isFirst || delay.isZero()) {
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
            long unused = changed.awaitNanos(nanos);
        } catch (InterruptedException e) {
            // Only close() ends this.
        }
    }

    /** If a message is ready, takes all that are or soon will be; otherwise returns how long it is until one is. */
    private long take(Map<Address, List<Supplier<byte[]>>> ready) {
        long now = System.nanoTime();
        long next = Long.MAX_VALUE;
        for (Entry entry : queue.values()) {
            next = Math.min(next, entry.readyAt() - now);
        }
        if (next > 0 && !closed) {
            return next;
        }
        Iterator<Map.Entry<Key, Entry>> entries = queue.entrySet().iterator();
        for (int taken = 0; entries.hasNext() && taken < ExchangeSettings.BATCH; ) {
            Map.Entry<Key, Entry> each = entries.next();
            if (closed || each.getValue().readyAt() - now <= GATHER_NANOS) {
                ready.computeIfAbsent(each.getKey().address(), first -> new ArrayList<>())
                        .add(each.getValue().message());
                taken++;
                entries.remove();
            }
        }
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
