package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.OTHER_ORDER;
import static dev.tallystick.keys.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.Gate.Entrance;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GateTest {

    private static final UUID ID = new UUID(1, 1);

    private final SettableClock clock = SettableClock.at("2030-01-01T00:00:00Z");
    private final Gate<String> gate = new Gate<>(GateSettings.DEFAULT, clock);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void a_committed_request_is_answered_for_five_minutes_and_then_admitted_again() throws Exception {
        admitted(gate, "k").committed(ORDER, "done");

        assertThat(enter("k", ORDER)).isEqualTo(new Entrance.Answered<>("done"));
        assertThat(enter("k", OTHER_ORDER)).isEqualTo(new Entrance.Reused<>(ORDER));
        clock.advance(Duration.ofSeconds(299));
        assertThat(enter("k", ORDER)).isEqualTo(new Entrance.Answered<>("done"));
        clock.advance(Duration.ofSeconds(1));
        assertThat(enter("k", ORDER)).isInstanceOf(Entrance.Admitted.class);
    }

    @Test
    void a_caller_that_holds_other_passes_does_not_wait_for_a_pending_request() {
        Entrance<String> first = gate.tryEnter(key("k"), ORDER, ID);

        assertThat(first).isInstanceOf(Entrance.Admitted.class);
        assertThat(gate.tryEnter(key("k"), ORDER, new UUID(1, 2)))
                .isEqualTo(new Entrance.InProgress<>(ID, Duration.ofSeconds(1)));
        ((Entrance.Admitted<String>) first).pass().committed(ORDER, "done");
        assertThat(gate.tryEnter(key("k"), ORDER, ID)).isEqualTo(new Entrance.Answered<>("done"));
    }

    @Test
    void a_rejected_request_is_answered_for_a_minute_and_another_under_its_key_is_admitted() throws Exception {
        admitted(gate, "k").rejected("no");

        assertThat(enter("k", ORDER)).isEqualTo(new Entrance.Answered<>("no"));
        Entrance<String> other = enter("k", OTHER_ORDER);
        assertThat(other).isInstanceOf(Entrance.Admitted.class);
        ((Entrance.Admitted<String>) other).pass().close();

        admitted(gate, "l").rejected("no");
        clock.advance(Duration.ofSeconds(60));
        assertThat(enter("l", ORDER)).isInstanceOf(Entrance.Admitted.class);
    }

    @Test
    void a_shared_answer_reaches_waiting_requests_and_no_later_ones() throws Exception {
        Gate.Pass<String> pass = admitted(gate, "k");
        Future<Entrance<String>> waiter = threads.submit(() -> enter("k", ORDER));
        awaitWaiters(1);

        pass.shared("not now");

        assertThat(waiter.get()).isEqualTo(new Entrance.Answered<>("not now"));
        assertThat(enter("k", ORDER)).isInstanceOf(Entrance.Admitted.class);
    }

    @Test
    void a_request_that_waited_for_a_different_request_learns_that_the_key_is_taken() throws Exception {
        Gate.Pass<String> pass = admitted(gate, "k");
        Future<Entrance<String>> waiter = threads.submit(() -> enter("k", OTHER_ORDER));
        awaitWaiters(1);

        pass.committed(ORDER, "done");

        assertThat(waiter.get()).isEqualTo(new Entrance.Reused<>(ORDER));
    }

    @Test
    void an_admitted_request_whose_key_was_bound_to_another_passes_the_truth_on() throws Exception {
        Gate.Pass<String> pass = admitted(gate, "k");
        pass.committed(OTHER_ORDER, "done before");

        assertThat(enter("k", ORDER)).isEqualTo(new Entrance.Reused<>(OTHER_ORDER));
        assertThat(enter("k", OTHER_ORDER)).isEqualTo(new Entrance.Answered<>("done before"));
    }

    @Test
    void if_the_original_ends_without_an_answer_a_waiting_request_is_admitted() throws Exception {
        Gate.Pass<String> pass = admitted(gate, "k");
        AtomicInteger admitted = new AtomicInteger();
        List<Future<String>> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiters.add(threads.submit(() -> switch (enter("k", ORDER)) {
                case Entrance.Admitted<String> mine -> {
                    admitted.incrementAndGet();
                    mine.pass().committed(ORDER, "done");
                    yield "done";
                }
                case Entrance.Answered<String> answered -> answered.answer();
                default -> throw new AssertionError("neither admitted nor answered");
            }));
        }
        awaitWaiters(10);

        pass.close();

        for (Future<String> waiter : waiters) {
            assertThat(waiter.get()).isEqualTo("done");
        }
        assertThat(admitted).hasValue(1);
    }

    @Test
    void a_request_that_does_not_wait_learns_at_once_that_the_original_is_in_progress() throws Exception {
        Gate<String> impatient = new Gate<>(settings(false, Duration.ofSeconds(30), 10), clock);
        Gate.Pass<String> pass = admitted(impatient, "k");

        assertThat(impatient.enter(key("k"), ORDER, new UUID(2, 2)))
                .isEqualTo(new Entrance.InProgress<>(ID, Duration.ofSeconds(1)));
        pass.close();
    }

    @Test
    void a_request_that_waits_too_long_learns_that_the_original_is_in_progress() throws Exception {
        Gate<String> impatient = new Gate<>(settings(true, Duration.ofMillis(1), 10), clock);
        admitted(impatient, "k");

        assertThat(impatient.enter(key("k"), ORDER, new UUID(2, 2)))
                .isEqualTo(new Entrance.InProgress<>(ID, Duration.ofSeconds(1)));
    }

    @Test
    void a_request_that_never_ends_expires_and_its_late_answer_is_ignored() throws Exception {
        Gate.Pass<String> lost = admitted(gate, "k");
        Future<Entrance<String>> waiter = threads.submit(() -> enter("k", ORDER));
        awaitWaiters(1);
        clock.advance(Duration.ofSeconds(60));

        gate.cleanUp();

        Entrance<String> next = waiter.get();
        assertThat(next).isInstanceOf(Entrance.Admitted.class);
        lost.committed(ORDER, "late");
        assertThat(gate.counts()).isEqualTo(new Gate.Counts(1, 0));
        ((Entrance.Admitted<String>) next).pass().committed(ORDER, "done");
        assertThat(enter("k", ORDER)).isEqualTo(new Entrance.Answered<>("done"));
    }

    @Test
    void the_least_recently_used_answer_is_evicted_first() throws Exception {
        Gate<String> small = new Gate<>(settings(true, Duration.ofSeconds(30), 3), clock);
        for (String each : List.of("a", "b", "c")) {
            admitted(small, each).committed(ORDER, each);
        }
        assertThat(small.enter(key("a"), ORDER, ID)).isEqualTo(new Entrance.Answered<>("a"));

        admitted(small, "d").committed(ORDER, "d");

        assertThat(small.counts()).isEqualTo(new Gate.Counts(0, 3));
        assertThat(small.enter(key("a"), ORDER, ID)).isEqualTo(new Entrance.Answered<>("a"));
        assertThat(small.enter(key("b"), ORDER, ID)).isInstanceOf(Entrance.Admitted.class);
    }

    @Test
    void a_gate_that_is_full_of_pending_requests_turns_newcomers_away_and_evicts_none_of_them() throws Exception {
        Gate<String> small = new Gate<>(settings(true, Duration.ofSeconds(30), 2), clock);
        Gate.Pass<String> first = admitted(small, "a");
        admitted(small, "b");

        assertThat(small.enter(key("c"), ORDER, ID)).isInstanceOf(Entrance.Full.class);
        first.committed(ORDER, "a");
        assertThat(small.enter(key("c"), ORDER, ID)).isInstanceOf(Entrance.Admitted.class);
        assertThat(small.counts()).isEqualTo(new Gate.Counts(2, 0));
    }

    @Test
    void cleaning_up_removes_expired_entries() throws Exception {
        admitted(gate, "a").committed(ORDER, "a");
        admitted(gate, "b").rejected("b");
        clock.advance(Duration.ofSeconds(60));
        gate.cleanUp();
        assertThat(gate.counts()).isEqualTo(new Gate.Counts(0, 1));

        clock.advance(Duration.ofMinutes(4));
        gate.cleanUp();

        assertThat(gate.counts()).isEqualTo(new Gate.Counts(0, 0));
    }

    private Entrance<String> enter(String name, Fingerprint fingerprint) throws InterruptedException {
        return gate.enter(key(name), fingerprint, ID);
    }

    private static Gate.Pass<String> admitted(Gate<String> gate, String name) throws InterruptedException {
        Entrance<String> entrance = gate.enter(key(name), ORDER, ID);
        assertThat(entrance).isInstanceOf(Entrance.Admitted.class);
        return ((Entrance.Admitted<String>) entrance).pass();
    }

    private void awaitWaiters(int count) {
        Eventually.holds(count + " to wait at the gate", () -> gate.waiting(key("k")) == count);
    }

    private static GateSettings settings(boolean waits, Duration wait, int entries) {
        GateSettings d = GateSettings.DEFAULT;
        return new GateSettings(
                d.pendingTtl(), d.committedTtl(), d.rejectedTtl(), entries, d.cleanupInterval(), waits, wait);
    }
}
