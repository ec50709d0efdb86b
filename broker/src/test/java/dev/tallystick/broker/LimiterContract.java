package dev.tallystick.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The behaviour of every limiter. Windows are an hour long, so that none ends during a test unless the test ends it. */
public abstract class LimiterContract {

    private static final Scope ALICE = new Scope("default", "alice");
    private static final Scope BOB = new Scope("default", "bob");
    private static final Scope ELSEWHERE = new Scope("other", "alice");
    private static final Fingerprint ONE = fingerprint(1);
    private static final Fingerprint TWO = fingerprint(2);

    public static final Duration WINDOW = Duration.ofHours(1);
    public static final Duration LONGER = Duration.ofDays(1);

    /** Another limiter with the same counters. The implementing class closes it. */
    public abstract Limiter open(Limiter.Budget budget);

    /** Ends the current window for all limiters by moving its start back by {@link #LONGER}. */
    public abstract void nextWindow();

    @Test
    void the_members_of_a_mesh_together_have_a_budget_and_other_meshes_have_their_own() {
        Limiter limiter = open(new Limiter.Budget(2, WINDOW, 3));
        Scope bob = new Scope(ALICE.mesh(), "bob-of-the-same-mesh");
        limiter.consume(key(ALICE, "k1"), ONE);
        limiter.consume(key(ALICE, "k2"), ONE);
        assertThat(limiter.consume(key(bob, "k1"), ONE)).isInstanceOf(Limiter.Decision.Within.class);

        assertThat(limiter.consume(key(bob, "k2"), ONE)).isInstanceOf(Limiter.Decision.Over.class);
        assertThat(limiter.consume(key(bob, "k1"), ONE)).as("a repeat").isInstanceOf(Limiter.Decision.Within.class);
        assertThat(limiter.consume(key(new Scope("another-mesh", "carol"), "k"), ONE))
                .isInstanceOf(Limiter.Decision.Within.class);
    }

    @Test
    void a_request_with_a_large_body_costs_more_and_never_more_than_there_is() {
        Limiter limiter = open(new Limiter.Budget(4, WINDOW));
        assertThat(limiter.consume(key(ALICE, "k1"), ONE, 2 * Limiter.BYTES_OF_ONE))
                .isInstanceOf(Limiter.Decision.Within.class);

        assertThat(limiter.consume(key(ALICE, "k2"), ONE, Limiter.BYTES_OF_ONE))
                .isInstanceOf(Limiter.Decision.Over.class);
        assertThat(limiter.consume(key(ALICE, "k3"), ONE, Limiter.BYTES_OF_ONE - 1))
                .isInstanceOf(Limiter.Decision.Within.class);
        assertThat(limiter.consume(key(new Scope("another-mesh", "carol"), "k"), ONE, Integer.MAX_VALUE))
                .isInstanceOf(Limiter.Decision.Within.class);
    }

    @Test
    void requests_are_granted_up_to_the_budget() {
        Limiter limiter = open(new Limiter.Budget(3, WINDOW));

        for (int i = 0; i < 3; i++) {
            assertThat(limiter.consume(key(ALICE, "k" + i), ONE)).isEqualTo(new Limiter.Decision.Within());
        }
        assertThat(limiter.consume(key(ALICE, "k3"), ONE))
                .isInstanceOfSatisfying(
                        Limiter.Decision.Over.class,
                        over -> assertThat(over.retryAfter()).isPositive().isLessThanOrEqualTo(WINDOW));
    }

    @Test
    void each_member_has_its_own_budget() {
        Limiter limiter = open(new Limiter.Budget(1, WINDOW));

        for (Scope scope : List.of(ALICE, BOB, ELSEWHERE)) {
            assertThat(limiter.consume(key(scope, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
            assertThat(limiter.consume(key(scope, "other"), ONE)).isInstanceOf(Limiter.Decision.Over.class);
        }
    }

    @Test
    void five_repeats_are_free_and_every_further_one_costs() {
        Limiter limiter = open(new Limiter.Budget(4, WINDOW));
        assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);

        for (int repeat = 0; repeat < Limiter.FREE_REPEATS; repeat++) {
            assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
        }
        for (int sixthToEighth = 0; sixthToEighth < 3; sixthToEighth++) {
            assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
        }
        assertThat(limiter.consume(key(ALICE, "other"), ONE)).isInstanceOf(Limiter.Decision.Over.class);
        assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Over.class);
    }

    @Test
    void a_repeat_is_free_even_if_the_budget_is_used_up() {
        Limiter limiter = open(new Limiter.Budget(1, WINDOW));
        limiter.consume(key(ALICE, "k"), ONE);

        assertThat(limiter.consume(key(ALICE, "other"), ONE)).isInstanceOf(Limiter.Decision.Over.class);
        assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
    }

    @Test
    void the_same_key_with_another_fingerprint_is_another_request() {
        Limiter limiter = open(new Limiter.Budget(1, WINDOW));
        limiter.consume(key(ALICE, "k"), ONE);

        assertThat(limiter.consume(key(ALICE, "k"), TWO)).isInstanceOf(Limiter.Decision.Over.class);
    }

    @Test
    void each_request_under_a_key_has_its_own_free_repeats() {
        Limiter limiter = open(new Limiter.Budget(2, WINDOW));
        limiter.consume(key(ALICE, "k"), ONE);
        limiter.consume(key(ALICE, "k"), TWO);

        for (int repeat = 0; repeat < Limiter.FREE_REPEATS; repeat++) {
            assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
            assertThat(limiter.consume(key(ALICE, "k"), TWO)).isInstanceOf(Limiter.Decision.Within.class);
        }
        assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Over.class);
        assertThat(limiter.consume(key(ALICE, "k"), TWO)).isInstanceOf(Limiter.Decision.Over.class);
    }

    @Test
    void a_new_window_has_a_new_budget_and_knows_no_repeats() {
        Limiter limiter = open(new Limiter.Budget(1, WINDOW));
        limiter.consume(key(ALICE, "k"), ONE);
        assertThat(limiter.consume(key(ALICE, "other"), ONE)).isInstanceOf(Limiter.Decision.Over.class);

        nextWindow();

        assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
        assertThat(limiter.consume(key(ALICE, "other"), ONE)).isInstanceOf(Limiter.Decision.Over.class);
    }

    @Test
    void many_at_once_at_two_limiters_get_exactly_the_budget() throws Exception {
        Limiter one = open(new Limiter.Budget(100, WINDOW));
        Limiter other = open(new Limiter.Budget(100, WINDOW));
        int within = 0;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Limiter.Decision>> decisions = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                ScopedKey key = key(ALICE, "k" + i);
                Limiter mine = i % 2 == 0 ? one : other;
                decisions.add(threads.submit(() -> mine.consume(key, ONE)));
            }
            for (Future<Limiter.Decision> decision : decisions) {
                within += decision.get() instanceof Limiter.Decision.Within ? 1 : 0;
            }
        }
        assertThat(within).isEqualTo(100);
    }

    @Test
    void repeats_at_another_limiter_are_repeats_too() {
        Limiter one = open(new Limiter.Budget(1, WINDOW));
        Limiter other = open(new Limiter.Budget(1, WINDOW));

        one.consume(key(ALICE, "k"), ONE);

        assertThat(other.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
        assertThat(other.consume(key(ALICE, "other"), ONE)).isInstanceOf(Limiter.Decision.Over.class);
    }

    @Test
    void a_longer_window_keeps_what_was_used_and_ends_in_time() {
        open(new Limiter.Budget(1, WINDOW)).consume(key(ALICE, "before"), ONE);

        Limiter limiter = open(new Limiter.Budget(2, LONGER));

        assertThat(limiter.consume(key(ALICE, "k"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
        assertIsOver(limiter, LONGER);
        nextWindow();
        assertThat(limiter.consume(key(ALICE, "later"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
    }

    @Test
    void a_shorter_window_ends_in_time_too() {
        Limiter before = open(new Limiter.Budget(1, LONGER));
        before.consume(key(ALICE, "before"), ONE);
        assertIsOver(before, LONGER);

        Limiter limiter = open(new Limiter.Budget(1, WINDOW));

        // In the first hour of a day both windows began at the same moment, and this is already over the budget.
        limiter.consume(key(ALICE, "k"), ONE);
        assertIsOver(limiter, WINDOW);
        nextWindow();
        assertThat(limiter.consume(key(ALICE, "later"), ONE)).isInstanceOf(Limiter.Decision.Within.class);
    }

    @Test
    void limiters_with_windows_of_different_lengths_count_together() {
        Limiter shorter = open(new Limiter.Budget(2, WINDOW));
        Limiter longer = open(new Limiter.Budget(2, LONGER));

        for (String when : List.of("now", "later")) {
            assertThat(shorter.consume(key(ALICE, when), ONE)).isInstanceOf(Limiter.Decision.Within.class);
            assertThat(longer.consume(key(ALICE, when), TWO)).isInstanceOf(Limiter.Decision.Within.class);
            assertIsOver(shorter, WINDOW);
            assertIsOver(longer, LONGER);
            nextWindow();
        }
    }

    private static void assertIsOver(Limiter limiter, Duration longest) {
        assertThat(limiter.consume(key(ALICE, "one:more"), ONE))
                .isInstanceOfSatisfying(
                        Limiter.Decision.Over.class,
                        over -> assertThat(over.retryAfter()).isPositive().isLessThanOrEqualTo(longest));
    }

    private static ScopedKey key(Scope scope, String key) {
        return new ScopedKey(scope, new IdempotencyKey(key));
    }

    private static Fingerprint fingerprint(int filler) {
        byte[] bytes = new byte[32];
        Arrays.fill(bytes, (byte) filler);
        return Fingerprint.of(bytes);
    }
}
