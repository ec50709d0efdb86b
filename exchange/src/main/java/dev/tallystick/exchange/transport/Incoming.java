package dev.tallystick.exchange.transport;

import dev.tallystick.core.Unwinding;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.sql.LastingThreads;
import dev.tallystick.sql.TransactionException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives messages on its own thread until it is closed, whatever the transport or the receiver throws. */
public final class Incoming implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Incoming.class);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final int MOST_DOUBLINGS = 8;

    private final Transport transport;
    private final Address address;
    private final Duration poll;
    private final Runnable ready;
    private final Transport.Receiver receiver;
    private final Thread thread;
    private volatile boolean closed;

    /** @param ready returns once more messages may be received; until then they stay with the transport */
    public Incoming(Transport transport, Address address, Duration poll, Runnable ready, Transport.Receiver receiver) {
        this.transport = transport;
        this.address = address;
        this.poll = poll;
        this.ready = ready;
        this.receiver = receiver;
        this.thread = Thread.ofVirtual()
                .name("tally-" + address.subject() + "-" + address.topic().word())
                .start(() -> LastingThreads.last(this::run));
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(poll.plusSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        int failures = 0;
        while (!closed) {
            try {
                ready.run();
                transport.receive(address, ExchangeSettings.BATCH, poll, receiver);
                failures = 0;
            } catch (TransportException | TransactionException e) {
                LOG.warn("receiving from {} failed; trying again", address, e);
                failures = pause(failures);
            } catch (Unwinding e) {
                throw e;
            } catch (RuntimeException | Error e) {
                LOG.error("receiving from {} failed; trying again", address, e);
                failures = pause(failures);
            }
        }
    }

    private int pause(int failures) {
        LockSupport.parkNanos(FIRST_PAUSE.toNanos() << Math.min(failures, MOST_DOUBLINGS));
        return failures + 1;
    }
}
