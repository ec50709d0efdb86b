package dev.tallystick.exchange.transport;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Wakeups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
    private final String self;
    private final Wakeups wakeups;

    /** One for each address that this process receives for. */
    private final Map<Address, Bell> bells = new ConcurrentHashMap<>();

    /** @param self identifies this process, so that it does not wake itself through the database */
    public PostgresTransport(Database database, String self) {
        this.database = database;
        this.self = self;
        this.wakeups = new Wakeups(database, CHANNEL, self, this::ringAll);
    }

    @Override
    public void publish(Address address, List<byte[]> messages) {
        try {
            database.transact("publish to " + address, tx -> {
                for (List<byte[]> packet : Packets.parts(messages, PACKET_BYTES, PACKET)) {
                    store.add(tx, address, packet.size(), Packets.join(packet), CHANNEL, self);
                }
                return true;
            });
        } catch (TransactionException e) {
            throw new TransportException("cannot publish to " + address + ": " + e.getMessage(), e);
        }
        Bell here = bells.get(address);
        if (here != null) {
            here.ring();
        }
    }

    @Override
    public boolean receive(Address address, int max, Duration wait, Receiver receiver) {
        int limit = Math.max(1, max / PACKET);
        Bell bell = bells.computeIfAbsent(address, first -> new Bell());
        long rings = bell.await(wait);
        int taken;
        try {
            taken = take(address, limit, receiver);
        } catch (RuntimeException | Error e) {
            // Others have passed over what this has put back.
            bell.ring();
            throw e;
        }
        if (taken < limit) {
            bell.answered(rings);
        }
        return taken > 0;
    }

    /** Deletes the rows, records the messages, and commits the deletion: in this order nothing is lost. */
    private int take(Address address, int limit, Receiver receiver) {
        try {
            return database.transact("receive from " + address, SessionLimits.USERS, tx -> {
                List<PacketStore.Row> rows = store.take(tx, address, limit);
                List<byte[]> messages = new ArrayList<>();
                rows.stream()
                        .sorted(Comparator.comparingLong(PacketStore.Row::seq))
                        .forEach(row -> messages.addAll(Packets.split(row.body())));
                if (!messages.isEmpty()) {
                    receiver.receive(messages);
                }
                return rows.size();
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
        bells.values().forEach(Bell::close);
        wakeups.close();
    }

    /** Another process has published something. */
    private void ringAll() {
        bells.values().forEach(Bell::ring);
    }
}
