package dev.tallystick.daemon.delivery;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.SendLimits;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the outbox: meets the server, then gives each destination with waiting rows a lane of its own, so that one that is
 * stuck never holds up another. Thread-safe.
 *
 * <p>The outbox belongs to the installation, mesh and member that the daemon met first. Any other pauses delivery: there the
 * same keys would mean something else.
 */
public final class Courier implements AutoCloseable {

    /** Until the courier has met a server, it assumes the least that it would accept. */
    private static final Duration UNKNOWN_AGE = MaximumAge.of(MaximumAge.LEAST_RETENTION_DAYS, null);

    private static final String FACTS = "server";
    private static final int DESTINATIONS_AT_ONCE = 1_000;
    private static final int MOST_RESTING = 64;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration STOPPING = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(Courier.class);

    private final Outbox outbox;
    private final Upstream upstream;
    private final CourierSettings settings;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final DeliveryListener listener;
    private final Lane.Shared shared;
    private final Thread thread;
    private final AtomicLong delivered = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Those that had no turn for the longest time first. */
    private final Map<String, Lane> lanes = new LinkedHashMap<>();

    private final Map<Lane, Thread> working = new HashMap<>();
    private volatile boolean hasNews;
    private String lastDestination = "";

    private volatile @Nullable ServerFacts facts;
    private volatile DeliveryState state;
    private volatile @Nullable Instant lastDelivery;
    private volatile boolean closed;

    /** A connection broke: what answers next may be another server, which must be met before anything is sent to it. */
    private volatile boolean doubted;

    private int failedMeetings;

    public Courier(
            Outbox outbox,
            Upstream upstream,
            CourierSettings settings,
            InstantSource clock,
            RandomGenerator random,
            CrashPoints crashPoints,
            DeliveryListener listener) {
        this.outbox = outbox;
        this.upstream = upstream;
        this.settings = settings;
        this.clock = clock;
        this.random = random;
        this.listener = listener;
        this.shared = new Lane.Shared(outbox, upstream, settings, new OpenRoad(), clock, random, crashPoints, listener);
        this.facts = outbox.setting(FACTS).map(ServerFacts::parse).orElse(null);
        this.state = DeliveryState.offline("not connected yet", clock.instant());
        this.thread = Thread.ofPlatform().daemon().name("tally-courier").unstarted(this::workUntilClosed);
    }

    public void start() {
        thread.start();
    }

    /** There is a new row. */
    public void wake() {
        if (hasNews) {
            // It looks into the outbox after it has cleared this.
            return;
        }
        lock.lock();
        try {
            hasNews = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Meets the server before anything else is sent: there is something to say to it. */
    public void meetAgain() {
        doubted = true;
        wake();
    }

    public DeliveryState state() {
        return state;
    }

    /** What the server takes, as it said when it was last met. */
    public SendLimits limits() {
        ServerFacts known = facts;
        return known == null ? SendLimits.USUAL : known.limits();
    }

    /** The server that the outbox belongs to, once it has met one. */
    public Optional<ServerFacts> server() {
        return Optional.ofNullable(facts);
    }

    /** Rows delivered since the start. */
    public long delivered() {
        return delivered.get();
    }

    /** When a row was last delivered. */
    public Optional<Instant> lastDelivery() {
        return Optional.ofNullable(lastDelivery);
    }

    /**
     * Lets go of a row that is in flight only because it waits for its next attempt.
     *
     * @return false if it is being sent right now, or is not in flight
     */
    public boolean release(String row) {
        for (Lane lane : allLanes()) {
            if (lane.releaseIfHeld(row, "released for the operator")) {
                return true;
            }
        }
        return false;
    }

    private void workUntilClosed() {
        while (!closed) {
            try {
                if ((state.isDelivering() && !doubted) || meet()) {
                    startLanes();
                    awaitNews();
                } else {
                    awaitNextMeeting();
                }
            } catch (InterruptedException e) {
                LOG.debug("woken to stop");
            } catch (RuntimeException e) {
                LOG.error("delivery failed unexpectedly", e);
                become(DeliveryState.offline("internal error: " + e, clock.instant()));
                failedMeetings++;
            }
        }
    }

    /** Whether delivery may begin. */
    private boolean meet() {
        doubted = false;
        DeliveryState next = stateAfter(upstream.meet());
        ServerFacts known = facts;
        if (next.isDelivering() && known != null) {
            next = stateAfter(upstream.introduce(known));
        }
        failedMeetings = next.isDelivering() ? 0 : failedMeetings + 1;
        become(next);
        return next.isDelivering();
    }

    private DeliveryState stateAfter(Upstream.Meeting meeting) {
        return switch (meeting) {
            case Upstream.Meeting.Met met -> admitted(met.facts());
            case Upstream.Meeting.Unreachable unreachable -> DeliveryState.offline(unreachable.why(), clock.instant());
            case Upstream.Meeting.Unsuitable unsuitable -> unsuitable(unsuitable.why());
            case Upstream.Meeting.Refused refused ->
                DeliveryState.paused(refused.code().word(), refused.detail(), clock.instant());
        };
    }

    private DeliveryState admitted(ServerFacts met) {
        ServerFacts known = facts;
        if (known != null && !known.installation().equals(met.installation())) {
            return changed("installation", known.installation(), met.installation());
        }
        if (known != null && !known.mesh().equals(met.mesh())) {
            return changed("mesh", known.mesh(), met.mesh());
        }
        if (known != null && !known.member().equals(met.member())) {
            return changed("member", known.member(), met.member());
        }
        if (!met.dedupeMode().equals(ServerFacts.REQUIRED_MODE)) {
            return unsuitable(
                    "the server recognises repeats by '" + met.dedupeMode() + "', which this daemon does not know");
        }
        try {
            Duration unused = MaximumAge.of(met.retentionDays(), settings.maximumAge());
        } catch (IllegalArgumentException e) {
            return unsuitable(String.valueOf(e.getMessage()));
        }
        if (!met.equals(known)) {
            outbox.remember(Map.of(FACTS, met.json()));
            facts = met;
        }
        return DeliveryState.delivering(clock.instant());
    }

    private DeliveryState unsuitable(String why) {
        return DeliveryState.paused(DeliveryState.SERVER_UNSUITABLE, why, clock.instant());
    }

    private DeliveryState changed(String what, String known, String met) {
        return DeliveryState.paused(
                DeliveryState.SERVER_CHANGED,
                "this outbox belongs to the %s %s, and the server answers as %s; connect it to its own server, or use another directory"
                        .formatted(what, known, met),
                clock.instant());
    }

    private void become(DeliveryState next) {
        if (!isNewState(next)) {
            return;
        }
        LOG.info("delivery is {}{}", next.kind().word(), next.reason() == null ? "" : ": " + next.reason());
        listener.changed(next);
        if (next.kind() == DeliveryState.Kind.PAUSED) {
            releaseAll(String.valueOf(next.reason()));
        }
    }

    /** Keeps the time since when, unless something changed. */
    private boolean isNewState(DeliveryState next) {
        lock.lock();
        try {
            DeliveryState before = state;
            boolean isSame = before.kind() == next.kind() && Objects.equals(before.code(), next.code());
            state = isSame ? new DeliveryState(next.kind(), next.code(), next.reason(), before.since()) : next;
            changed.signalAll();
            return !isSame;
        } finally {
            lock.unlock();
        }
    }

    private void startLanes() {
        List<String> waiting = outbox.destinations(lastDestination, DESTINATIONS_AT_ONCE);
        boolean isAll = lastDestination.isEmpty() && waiting.size() < DESTINATIONS_AT_ONCE;
        lastDestination = waiting.size() < DESTINATIONS_AT_ONCE ? "" : waiting.getLast();
        lock.lock();
        try {
            for (String each : waiting) {
                if (!lanes.containsKey(each) && lanes.size() < DESTINATIONS_AT_ONCE) {
                    lanes.put(each, new Lane(each, shared));
                }
            }
            if (isAll) {
                Set<String> needed = Set.copyOf(waiting);
                lanes.entrySet()
                        .removeIf(each -> !needed.contains(each.getKey())
                                && !working.containsKey(each.getValue())
                                && each.getValue().isEmpty());
            }
            lanes.values().stream()
                    .filter(lane -> !working.containsKey(lane) && !lane.rest().isPositive())
                    .limit(Math.max(0, settings.lanes() - working.size()))
                    .toList()
                    .forEach(this::start);
        } finally {
            lock.unlock();
        }
    }

    private void start(Lane lane) {
        Thread started = Thread.ofVirtual().name("tally-lane").unstarted(() -> work(lane));
        working.put(lane, started);
        started.start();
    }

    private void work(Lane lane) {
        lane.work();
        lock.lock();
        try {
            working.remove(lane);
            lanes.remove(lane.destination());
            lanes.put(lane.destination(), lane);
            hasNews = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void awaitNews() throws InterruptedException {
        lock.lock();
        try {
            long left = LONGEST_WAIT.toNanos();
            for (Lane lane : lanes.values()) {
                long rest = lane.rest().toNanos();
                if (rest > 0 && !working.containsKey(lane)) {
                    left = Math.min(left, rest);
                }
            }
            while (!hasNews && !closed && !doubted && state.isDelivering() && left > 0) {
                left = changed.awaitNanos(left);
            }
            hasNews = false;
        } finally {
            lock.unlock();
        }
    }

    private void awaitNextMeeting() throws InterruptedException {
        long left = settings.backoff().pause(failedMeetings, random).toNanos();
        lock.lock();
        try {
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void releaseAll(String why) {
        allLanes().forEach(lane -> lane.release(why));
    }

    private List<Lane> allLanes() {
        lock.lock();
        try {
            return List.copyOf(lanes.values());
        } finally {
            lock.unlock();
        }
    }

    /** What lanes see of their courier. */
    private final class OpenRoad implements Lane.Road {

        @Override
        public boolean isOpen() {
            return !closed && !doubted && state.isDelivering();
        }

        @Override
        public Duration maximumAge() {
            ServerFacts known = facts;
            return known == null ? UNKNOWN_AGE : MaximumAge.of(known.retentionDays(), settings.maximumAge());
        }

        @Override
        public int requestBytes() {
            return limits().requestBytes() / 2;
        }

        @Override
        public boolean mayRestWithRows() {
            lock.lock();
            try {
                return lanes.size() <= MOST_RESTING;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void doubt() {
            meetAgain();
        }

        @Override
        public void lost(String why) {
            become(DeliveryState.offline(why, clock.instant()));
        }

        @Override
        public void pause(String code, String why) {
            become(DeliveryState.paused(code, why, clock.instant()));
        }

        @Override
        public void delivered(int rows) {
            if (rows > 0) {
                delivered.addAndGet(rows);
                lastDelivery = clock.instant();
            }
        }
    }

    /** Stops sending. Rows whose answer has not come wait in the outbox. */
    @Override
    public void close() {
        closed = true;
        List<Thread> left;
        lock.lock();
        try {
            left = List.copyOf(working.values());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            left.forEach(Thread::interrupt);
            for (Thread each : left) {
                boolean unused = each.join(STOPPING);
            }
            if (thread.isAlive()) {
                thread.interrupt();
                thread.join(TimeUnit.SECONDS.toMillis(STOPPING.toSeconds()));
            }
            releaseAll("the daemon was stopped");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
