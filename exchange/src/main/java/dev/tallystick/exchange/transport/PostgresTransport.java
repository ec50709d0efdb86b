package dev.tallystick.exchange.transport;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Wakeups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A table as transport, in a database that both participants can reach, often that of one of them. Messages published together
 * travel as one row, and the table is unlogged: after a crash of Postgres it is empty, and the participants publish again.
 */
public final class PostgresTransport implements Transport {

    private static final String CHANNEL = "tally_exchange";

    /** The most messages in one row. */
    static final int PACKET = 100;

    private static final int PACKET_BYTES = 4 << 20;

    private final Database database;
    private final PacketStore store = new PacketStore();
    private final Wakeups wakeups;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition rung = lock.newCondition();
    private long rings;
    private boolean closed;

    /** @param self identifies this process, so that it does not wake itself through the database */
    public PostgresTransport(Database database, String self) {
        this.database = database;
        this.wakeups = new Wakeups(database, CHANNEL, self, this::ring);
    }

    @Override
    public void publish(Address address, List<byte[]> messages) {
        try {
            database.transact("publish to " + address, tx -> {
                for (List<byte[]> packet : Packets.parts(messages, PACKET_BYTES, PACKET)) {
                    store.add(tx, address, packet.size(), Packets.join(packet));
                }
                return true;
            });
        } catch (TransactionException e) {
            throw new TransportException("cannot publish to " + address + ": " + e.getMessage(), e);
        }
        ring();
        wakeups.ring();
    }

    @Override
    public boolean receive(Address address, int max, Duration wait, Receiver receiver) {
        long before = rings();
        if (take(address, max, receiver)) {
            return true;
        }
        awaitRing(before, wait);
        return false;
    }

    /** Deletes the rows, records the messages, and commits the deletion: in this order nothing is lost. */
    private boolean take(Address address, int max, Receiver receiver) {
        try {
            return database.transact("receive from " + address, SessionLimits.USERS, tx -> {
                List<PacketStore.Row> rows = store.take(tx, address, Math.max(1, max / PACKET));
                if (rows.isEmpty()) {
                    return false;
                }
                List<byte[]> messages = new ArrayList<>();
                rows.stream()
                        .sorted(Comparator.comparingLong(PacketStore.Row::seq))
                        .forEach(row -> messages.addAll(Packets.split(row.body())));
                receiver.receive(messages);
                return true;
            });
        } catch (TransactionException e) {
            throw new TransportException("cannot receive from " + address + ": " + e.getMessage(), e);
        }
    }

    /** How many messages wait, up to this many rows of them. */
    public long waiting(Address address, int packets) {
        return database.transact("count waiting messages", tx -> store.waiting(tx, address, packets));
    }

    /** Loses everything that is on its way. */
    public void wipe() {
        database.transact("wipe the transport", tx -> {
            store.wipe(tx);
            return true;
        });
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            rung.signalAll();
        } finally {
            lock.unlock();
        }
        wakeups.close();
    }

    private void ring() {
        lock.lock();
        try {
            rings++;
            rung.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private long rings() {
        lock.lock();
        try {
            return rings;
        } finally {
            lock.unlock();
        }
    }

    private void awaitRing(long before, Duration wait) {
        lock.lock();
        try {
            long left = wait.toNanos();
            while (rings == before && !closed && left > 0) {
                left = rung.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
