package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SettableClockTest {

    private static final Instant NEW_YEAR = Instant.parse("2030-01-01T00:00:00Z");

    private final SettableClock clock = SettableClock.at("2030-01-01T00:00:00Z");

    @Test
    void it_stands_still_until_it_is_moved() {
        assertThat(clock.instant()).isEqualTo(NEW_YEAR).isEqualTo(clock.instant());
        clock.advance(Duration.ofSeconds(90));
        assertThat(clock.instant()).isEqualTo("2030-01-01T00:01:30Z");
    }

    @Test
    void it_can_be_set_back_but_does_not_advance_backwards() {
        clock.set(NEW_YEAR.minusSeconds(1));
        assertThat(clock.instant()).isBefore(NEW_YEAR);
        assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_clock_of_another_zone_shows_the_same_time() {
        SettableClock elsewhere = clock.withZone(ZoneId.of("Asia/Tokyo"));
        clock.advance(Duration.ofHours(1));
        assertThat(elsewhere.instant()).isEqualTo(clock.instant());
        assertThat(elsewhere.getZone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
    }

    @Test
    void sleepers_wake_up_when_their_time_has_come_and_not_before() throws InterruptedException {
        Signal early = new Signal("the early sleeper");
        Signal late = new Signal("the late sleeper");
        Thread.ofVirtual().start(() -> sleepThenFire(Duration.ofSeconds(10), early));
        Thread lateSleeper = Thread.ofVirtual().start(() -> sleepThenFire(Duration.ofSeconds(20), late));

        clock.awaitWaiters(2);
        clock.advance(Duration.ofSeconds(10));
        early.await();
        assertThat(late.hasFired()).isFalse();

        clock.set(NEW_YEAR.plusSeconds(3600));
        lateSleeper.join();
        assertThat(late.hasFired()).isTrue();
    }

    @Test
    void a_time_that_has_passed_is_reached_at_once() {
        assertThat(clock.reached(NEW_YEAR)).isCompleted();
    }

    @Test
    void one_leap_wakes_everyone_in_the_order_of_their_times() {
        List<Integer> woken = new ArrayList<>();
        for (int seconds : new int[] {3, 1, 2}) {
            CompletableFuture<Void> reached = clock.reached(NEW_YEAR.plusSeconds(seconds));
            var unused = reached.thenRun(() -> woken.add(seconds));
        }
        clock.advance(Duration.ofMinutes(1));
        assertThat(woken).containsExactly(1, 2, 3);
    }

    private void sleepThenFire(Duration time, Signal woken) {
        clock.sleepUntil(NEW_YEAR.plus(time));
        woken.fire();
    }
}
