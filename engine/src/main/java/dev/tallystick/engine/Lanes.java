package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Leases bodies whose workflows have limits.
 *
 * <p>Invariant: a process leases from a lane only while it holds the lane's lock, and counts only after taking it, so no two
 * processes fill the same place. A place is a lease: it is free again when the lease is released or expires, and a crash leaves
 * nothing else to repair.
 *
 * <p>Fair: the lane whose job has waited longest comes first; a lane that is full or past its rate is skipped, however long its
 * queue.
 */
final class Lanes {

    /** The maximum number of lanes locked at once. */
    private static final int MOST = 200;

    private static final int FORGET_BATCH = 1_000;

    private final Database database;
    private final Duration lease;
    private final LaneStore store = new LaneStore();

    Lanes(Database database, Duration lease) {
        this.database = database;
        this.lease = lease;
    }

    /** Leases at most {@code limit} bodies that are due and within their limits. */
    List<LeasedBody> lease(Tx tx, Map<String, LaneStore.Rule> rules, Set<String> here, int limit, String owner)
            throws SQLException {
        List<LaneStore.Open> open = store.open(tx, List.copyOf(rules.values()), here, MOST);
        return open.isEmpty() ? List.of() : lease(tx, open, rules, here, limit, owner);
    }

    private List<LeasedBody> lease(
            Tx tx,
            List<LaneStore.Open> open,
            Map<String, LaneStore.Rule> rules,
            Set<String> here,
            int limit,
            String owner)
            throws SQLException {
        List<LaneStore.Open> locked =
                store.lock(tx, open.stream().map(LaneStore.Open::lane).toList());
        if (locked.isEmpty()) {
            return List.of();
        }
        List<Lane> lanes = locked.stream().map(LaneStore.Open::lane).toList();
        List<LaneStore.Rule> limits = lanes.stream()
                .map(lane -> Objects.requireNonNull(rules.get(lane.workflow())))
                .toList();
        List<LaneStore.Leased> leased = store.lease(tx, lanes, limits, places(open, locked, here), limit, lease, owner);
        if (!leased.isEmpty()) {
            store.note(tx, notes(leased, lanes, limits), leased);
        }
        return leased.stream().map(LaneStore.Leased::body).toList();
    }

    /** The queues seen before the lock, and those that other processes used until then. */
    private static List<LaneStore.Place> places(
            List<LaneStore.Open> open, List<LaneStore.Open> locked, Collection<String> here) {
        Map<Lane, List<String>> seen = new HashMap<>();
        open.forEach(each -> seen.put(each.lane(), each.queues()));
        List<LaneStore.Place> places = new ArrayList<>();
        for (int i = 0; i < locked.size(); i++) {
            Lane lane = locked.get(i).lane();
            Set<String> queues = new LinkedHashSet<>(Objects.requireNonNull(seen.get(lane)));
            queues.addAll(locked.get(i).queues());
            for (String queue : queues) {
                places.add(new LaneStore.Place(i, lane.mesh(), queue, here.contains(Lane.baseOf(queue))));
            }
        }
        return places;
    }

    private static List<LaneStore.Note> notes(
            List<LaneStore.Leased> leased, List<Lane> lanes, List<LaneStore.Rule> limits) {
        Map<Integer, Integer> begun = new HashMap<>();
        leased.forEach(each -> begun.merge(each.lane(), each.body().lease().fence() == 1 ? 1 : 0, Integer::sum));
        List<LaneStore.Note> notes = new ArrayList<>();
        begun.forEach((lane, count) -> notes.add(new LaneStore.Note(
                lane, lanes.get(lane), count, limits.get(lane).per())));
        return notes;
    }

    /** Deletes lanes that no job has used for longer than any rate's period. */
    int sweep() {
        return database.transact(
                "forget lanes", tx -> store.forget(tx, Limit.LONGEST_PERIOD.multipliedBy(2), FORGET_BATCH));
    }
}
