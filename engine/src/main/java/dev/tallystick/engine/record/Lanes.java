package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Lane;
import dev.tallystick.engine.model.LaneRule;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Limit;
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
import java.util.function.Predicate;

/**
 * Leases bodies whose workflows have limits, and lets jobs of graphs begin that have some.
 *
 * <p>Invariant: a process locks a lane before it counts and leases, so no two processes fill the same place. A place is a
 * lease: it is free when the lease is released or expires, so a crash leaves nothing to repair. The place of a graph's job is a
 * separate posting, which exists until the job closes.
 *
 * <p>Fair: the lane whose job has waited longest comes first; a lane that is full or past its rate is skipped, however long its
 * queue.
 */
public final class Lanes {

    /** An engine without limits looks for lanes only each so many times. */
    public static final int IDLE_LOOKS = 30;

    /** The maximum number of lanes locked at once. */
    private static final int MOST = 200;

    private static final int FORGET_BATCH = 1_000;

    private final Database database;
    private final Duration lease;
    private final LaneStore store = new LaneStore();

    public Lanes(Database database, Duration lease) {
        this.database = database;
        this.lease = lease;
    }

    /** Leases at most {@code limit} bodies that are due and within their limits. */
    public List<LeasedJob> lease(Tx tx, Map<String, LaneRule> rules, Set<String> here, int limit, String owner)
            throws SQLException {
        LaneStore.Locked locked = lock(tx, store.open(tx, List.copyOf(rules.values()), here, MOST), rules, here, false);
        List<LaneStore.Leased> leased =
                locked.lanes().isEmpty() ? List.of() : store.lease(tx, locked, limit, lease, owner);
        note(tx, locked, leased, each -> each.body().lease().fence() == 1);
        return leased.stream().map(LaneStore.Leased::body).toList();
    }

    /** Lets jobs of graphs begin that are due and within their limits; returns how many. */
    public int admit(Tx tx, Map<String, LaneRule> rules, Set<String> here, int limit) throws SQLException {
        List<LaneStore.Open> open = store.open(tx, List.copyOf(rules.values()), here, MOST);
        return admit(tx, lock(tx, open, rules, here, false), limit).size();
    }

    /** Whether it is the turn of a job of a graph that this transaction has started; waits for the lock of its lane. */
    public boolean admitNow(Tx tx, NewJob job, LaneRule rule) throws SQLException {
        Lane lane = new Lane(job.mesh(), rule.workflow(), Objects.requireNonNull(job.lane()));
        Set<String> here = Set.of(Lane.baseOf(job.queueOfLane()));
        List<LaneStore.Open> open = store.open(tx, List.of(rule), here, Integer.MAX_VALUE).stream()
                .filter(each -> each.lane().equals(lane))
                .toList();
        LaneStore.Locked locked = lock(tx, open, Map.of(rule.workflow(), rule), here, true);
        return admit(tx, locked, Integer.MAX_VALUE).stream()
                .anyMatch(each -> each.job().equals(job.id()));
    }

    private List<LaneStore.Admitted> admit(Tx tx, LaneStore.Locked locked, int limit) throws SQLException {
        List<LaneStore.Admitted> admitted = locked.lanes().isEmpty() ? List.of() : store.admit(tx, locked, limit);
        note(tx, locked, admitted, each -> true);
        return admitted;
    }

    private LaneStore.Locked lock(
            Tx tx, List<LaneStore.Open> open, Map<String, LaneRule> rules, Set<String> here, boolean wait)
            throws SQLException {
        List<LaneStore.Open> locked = open.isEmpty()
                ? List.of()
                : store.lock(tx, open.stream().map(LaneStore.Open::lane).toList(), wait);
        List<Lane> lanes = locked.stream().map(LaneStore.Open::lane).toList();
        List<LaneRule> limits = lanes.stream()
                .map(lane -> Objects.requireNonNull(rules.get(lane.workflow())))
                .toList();
        return new LaneStore.Locked(lanes, limits, places(open, locked, here));
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

    private <T extends LaneStore.Taken> void note(Tx tx, LaneStore.Locked locked, List<T> taken, Predicate<T> begins)
            throws SQLException {
        if (taken.isEmpty()) {
            return;
        }
        Map<Integer, Integer> begun = new HashMap<>();
        taken.forEach(each -> begun.merge(each.lane(), begins.test(each) ? 1 : 0, Integer::sum));
        List<LaneStore.Note> notes = new ArrayList<>();
        begun.forEach((lane, count) -> notes.add(new LaneStore.Note(
                lane, locked.lanes().get(lane), count, locked.rules().get(lane).per())));
        store.note(tx, notes, taken);
    }

    /** Deletes lanes that no job has used for longer than any rate's period. */
    public int sweep() {
        return database.transact(
                "forget lanes", tx -> store.forget(tx, Limit.LONGEST_PERIOD.multipliedBy(2), FORGET_BATCH));
    }
}
