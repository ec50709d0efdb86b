package dev.tallystick.broker.message;

import dev.tallystick.broker.NewMessageSignal;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Hands out accepted messages, at least once. A consumer leases a delivery and acknowledges it when done; when a lease expires,
 * the delivery comes again, to the same consumer or another. An inbox is ordered by priority, then by the order of acceptance.
 * Thread-safe.
 */
public final class Deliveries {

    /** How many deliveries may be leased or settled at once. */
    public static final int MAX_BATCH = 500;

    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    public static final Duration LONGEST_LEASE = Duration.ofHours(12);

    private static final String ACKNOWLEDGE = "acknowledge deliveries";

    private final Database database;
    private final DeliveryStore store = new DeliveryStore();

    public Deliveries(Database database) {
        this.database = database;
    }

    /**
     * Leases up to {@code max} deliveries from an inbox; only their holder can settle them. Returns none if there is nothing to
     * take: listen to {@link NewMessageSignal} and try again.
     */
    public List<Delivery> lease(Member taker, Inbox inbox, int max, Duration lease) {
        return lease(taker.mesh(), taker.id(), inbox, max, lease);
    }

    /** The same for the broker itself. */
    List<Delivery> lease(String mesh, Inbox inbox, int max, Duration lease) {
        return lease(mesh, null, inbox, max, lease);
    }

    private List<Delivery> lease(String mesh, @Nullable String holder, Inbox inbox, int max, Duration lease) {
        if (max < 1 || max > MAX_BATCH) {
            throw new IllegalArgumentException("1 to " + MAX_BATCH + " deliveries can be taken at once, not " + max);
        }
        requireLease(lease);
        return database.transact("lease deliveries", tx -> store.lease(tx, mesh, inbox, max, lease, holder));
    }

    /** Marks deliveries as done; they will not come again. Repeatable. One outcome for each, in the same order. */
    public List<Acknowledge> acknowledge(Member taker, List<Delivery.Lease> leases) {
        return settle(ACKNOWLEDGE, taker.mesh(), taker.id(), leases, store::finish);
    }

    public List<Acknowledge> acknowledge(String mesh, List<Delivery.Lease> leases) {
        return settle(ACKNOWLEDGE, mesh, null, leases, store::finish);
    }

    /** Extends leases to this long from now. */
    public List<Acknowledge> extend(Member taker, List<Delivery.Lease> leases, Duration lease) {
        return extend(taker.mesh(), taker.id(), leases, lease);
    }

    List<Acknowledge> extend(String mesh, List<Delivery.Lease> leases, Duration lease) {
        return extend(mesh, null, leases, lease);
    }

    private List<Acknowledge> extend(
            String mesh, @Nullable String holder, List<Delivery.Lease> leases, Duration lease) {
        requireLease(lease);
        return settle("extend leases", mesh, holder, leases, (tx, held) -> store.move(tx, held, lease, null));
    }

    /** Releases deliveries, for others to take after {@code delay}. */
    public List<Acknowledge> release(Member taker, List<Delivery.Lease> leases, Duration delay, String why) {
        return release(taker.mesh(), taker.id(), leases, delay, why);
    }

    public List<Acknowledge> release(String mesh, List<Delivery.Lease> leases, Duration delay, String why) {
        return release(mesh, null, leases, delay, why);
    }

    private List<Acknowledge> release(
            String mesh, @Nullable String holder, List<Delivery.Lease> leases, Duration delay, String why) {
        if (delay.isNegative() || delay.compareTo(LONGEST_LEASE) > 0) {
            throw new IllegalArgumentException("a delivery can be delayed by at most " + LONGEST_LEASE);
        }
        return settle("release deliveries", mesh, holder, leases, (tx, held) -> store.move(tx, held, delay, why));
    }

    /** Abandons deliveries: they do not come again, and are listed as dead. */
    public List<Acknowledge> bury(String mesh, List<Delivery.Lease> leases, String why) {
        return settle("bury deliveries", mesh, null, leases, (tx, held) -> store.bury(tx, held, why));
    }

    /** How many deliveries wait in an inbox or are leased from it. */
    public long waiting(String mesh, Inbox inbox) {
        return database.read("count deliveries", tx -> store.waiting(tx, mesh, inbox));
    }

    private interface Write {
        void write(Tx tx, List<Delivery.Lease> held) throws SQLException;
    }

    private record Place(UUID message, Inbox inbox) {}

    private List<Acknowledge> settle(
            String name, String mesh, @Nullable String holder, List<Delivery.Lease> leases, Write write) {
        if (leases.size() > MAX_BATCH) {
            throw new IllegalArgumentException("at most " + MAX_BATCH + " deliveries can be settled at once");
        }
        return database.transact(name, tx -> {
            Map<Place, DeliveryStore.State> states = new HashMap<>();
            for (DeliveryStore.State state : store.lock(tx, mesh, leases)) {
                states.put(new Place(state.message(), state.inbox()), state);
            }
            List<Acknowledge> outcomes = new ArrayList<>(leases.size());
            List<Delivery.Lease> held = new ArrayList<>(leases.size());
            for (Delivery.Lease lease : leases) {
                Acknowledge outcome = outcome(lease, holder, states.get(new Place(lease.message(), lease.inbox())));
                outcomes.add(outcome);
                if (outcome == Acknowledge.DONE) {
                    held.add(lease);
                }
            }
            if (!held.isEmpty()) {
                write.write(tx, held.stream().distinct().toList());
            }
            return outcomes;
        });
    }

    private static Acknowledge outcome(
            Delivery.Lease lease, @Nullable String holder, DeliveryStore.@Nullable State state) {
        if (state == null) {
            return Acknowledge.UNKNOWN;
        }
        boolean holds = state.fence() == lease.fence() && Objects.equals(state.holder(), holder);
        return holds ? Acknowledge.DONE : Acknowledge.LEASE_LOST;
    }

    private static void requireLease(Duration lease) {
        if (lease.isNegative() || lease.isZero() || lease.compareTo(LONGEST_LEASE) > 0) {
            throw new IllegalArgumentException("a lease must be positive and at most " + LONGEST_LEASE);
        }
    }
}
