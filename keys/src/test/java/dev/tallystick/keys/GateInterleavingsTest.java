package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.fingerprint;
import static dev.tallystick.keys.TestKeys.key;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.Gate.Entrance;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Runs small programs of requests at one gate through hundreds of interleavings each, and checks that a sequential execution
 * could have given the same answers. A lost wake-up is a deadlock here, because the clock that bounds the waits stands still.
 */
class GateInterleavingsTest {

    /** The gate reads and writes these only under its lock, or they never change: no interleaving is possible. */
    private static final ManagedStrategyGuarantee ATOMIC = ManagedStrategyGuaranteeKt.forClasses(
                    HashMap.class.getName(),
                    LinkedHashMap.class.getName(),
                    Instant.class.getName(),
                    Duration.class.getName())
            .allMethods()
            .treatAsAtomic();

    /** The number of a request that binds no key. */
    private static final int IN_VAIN = 0;

    // Created once, outside of the interleavings.
    private static final UUID ID = new UUID(1, 1);
    private static final ScopedKey[] KEYS = {key("k0"), key("k1"), key("k2")};
    private static final Fingerprint[] REQUESTS = {fingerprint(0), fingerprint(1), fingerprint(2)};

    @Test
    void requests_at_a_gate_are_answered_as_if_they_came_one_after_the_other() {
        check(Requests.class, 10, 300);
    }

    @Test
    void requests_that_expire_at_the_gate_change_no_answer() {
        check(RequestsThatAreGivenUp.class, 6, 150);
    }

    private static void check(Class<?> requests, int programs, int interleavings) {
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(1)
                .iterations(programs)
                .invocationsPerIteration(interleavings)
                .addGuarantee(ATOMIC)
                .sequentialSpecification(OneAfterTheOther.class)
                .check(requests);
    }

    /** The expected answers: the first request under a key binds it, and runs once. */
    public static final class OneAfterTheOther {

        private final Map<Integer, Integer> bound = new HashMap<>();

        public String submit(int key, int request) {
            return answer(request, bound.computeIfAbsent(key, unused -> request));
        }

        public String askInVain(int key) {
            return failToFindOut(key, IN_VAIN);
        }

        public String failToFindOut(int key, int request) {
            Integer known = bound.get(key);
            return known == null ? "not now" : answer(request, known);
        }

        public void giveUpWhatTakesTooLong() {}

        private static String answer(int request, int known) {
            return known == request ? "request " + known + ", done once" : "reused by " + known;
        }
    }

    /** Requests with nothing behind them but the gate: if it admitted two of them, both would run. */
    @Param(name = "key", gen = IntGen.class, conf = "1:2")
    @Param(name = "request", gen = IntGen.class, conf = "1:2")
    public static class Requests {

        private static final int AT_MOST = 4;

        private final Instant begin = Instant.parse("2030-01-01T00:00:00Z");
        private final Gate<String> gate = new Gate<>(settings(AT_MOST), () -> begin);
        private final Map<Integer, Integer> done = new HashMap<>();

        @Operation(params = {"key", "request"})
        public String submit(int key, int request) throws InterruptedException {
            return switch (enter(gate, key, request)) {
                case Entrance.Admitted<String> admitted -> {
                    // Read and written in two steps, so that a second admitted request is detected.
                    int times = done.getOrDefault(key, 0) + 1;
                    done.put(key, times);
                    String answer = "request " + request + (times == 1 ? ", done once" : ", done again");
                    admitted.pass().committed(REQUESTS[request], answer);
                    yield answer;
                }
                case Entrance<String> other -> told(other);
            };
        }

        /** The ledger has no lasting answer, as for a caller that is over its budget. Waiting requests get the same answer. */
        @Operation(params = "key")
        public String askInVain(int key) throws InterruptedException {
            return switch (enter(gate, key, IN_VAIN)) {
                case Entrance.Admitted<String> admitted -> {
                    admitted.pass().shared("not now");
                    yield "not now";
                }
                case Entrance<String> other -> told(other);
            };
        }

        /** The ledger does not answer. */
        @Operation(params = {"key", "request"})
        public String failToFindOut(int key, int request) throws InterruptedException {
            return switch (enter(gate, key, request)) {
                case Entrance.Admitted<String> admitted -> {
                    admitted.pass().close();
                    yield "not now";
                }
                case Entrance<String> other -> told(other);
            };
        }

        @Validate
        public void nothingIsLeftPending() {
            Gate.Counts counts = gate.counts();
            if (counts.pending() != 0 || counts.remembered() > AT_MOST) {
                throw new IllegalStateException("left at the gate: " + counts);
            }
        }
    }

    /** Requests that may expire at the gate before they end; then only the key ledger decides. */
    @Param(name = "key", gen = IntGen.class, conf = "1:2")
    @Param(name = "request", gen = IntGen.class, conf = "1:2")
    public static class RequestsThatAreGivenUp {

        /** Fewer than the possible keys, so the gate has to evict. */
        private static final int AT_MOST = 3;

        private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");
        private final Gate<String> gate = new Gate<>(settings(AT_MOST), () -> now);
        private final ConcurrentHashMap<Integer, Integer> ledger = new ConcurrentHashMap<>();

        @Operation(params = {"key", "request"})
        public String submit(int key, int request) throws InterruptedException {
            return switch (enter(gate, key, request)) {
                case Entrance.Admitted<String> admitted -> {
                    Integer before = ledger.putIfAbsent(key, request);
                    int bound = before == null ? request : before;
                    admitted.pass().committed(REQUESTS[bound], "request " + bound + ", done once");
                    yield OneAfterTheOther.answer(request, bound);
                }
                case Entrance<String> other -> told(other);
            };
        }

        @Operation
        public void giveUpWhatTakesTooLong() {
            now = now.plus(GateSettings.DEFAULT.pendingTtl());
            gate.cleanUp();
        }

        @Validate
        public void nothingIsLeftPending() {
            Gate.Counts counts = gate.counts();
            if (counts.pending() != 0 || counts.remembered() > AT_MOST) {
                throw new IllegalStateException("left at the gate: " + counts);
            }
        }
    }

    private static Entrance<String> enter(Gate<String> gate, int key, int request) throws InterruptedException {
        return gate.enter(KEYS[key], REQUESTS[request], ID);
    }

    private static String told(Entrance<String> entrance) {
        return switch (entrance) {
            case Entrance.Answered<String> answered -> answered.answer();
            case Entrance.Reused<String> reused -> "reused by " + request(reused.bound());
            case Entrance.InProgress<String> other -> "in progress";
            case Entrance.Full<String> full -> "full";
            case Entrance.Admitted<String> admitted -> "admitted";
        };
    }

    private static int request(Fingerprint fingerprint) {
        return Arrays.asList(REQUESTS).indexOf(fingerprint);
    }

    private static GateSettings settings(int entries) {
        GateSettings d = GateSettings.DEFAULT;
        return new GateSettings(
                d.pendingTtl(),
                d.committedTtl(),
                d.rejectedTtl(),
                entries,
                d.cleanupInterval(),
                true,
                Duration.ofSeconds(30));
    }
}
