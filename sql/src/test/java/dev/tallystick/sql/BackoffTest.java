package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final Duration FIRST = Duration.ofNanos(8);
    private static final Duration LONGEST = Duration.ofNanos(50);

    private static List<Long> nanos(RandomGenerator random) {
        Backoff backoff = new Backoff(FIRST, LONGEST, random);
        return Stream.of(1, 2, 3, 4, 1_000).map(backoff::nanos).toList();
    }

    @Test
    void the_longest_wait_doubles_up_to_its_limit() {
        assertThat(nanos(new Greatest())).containsExactly(8L, 16L, 32L, 50L, 50L);
    }

    @Test
    void jitter_may_shorten_it_to_next_to_nothing() {
        assertThat(nanos(() -> 0)).containsOnly(1L);
    }

    /** Draws the greatest number that is possible. */
    private static final class Greatest implements RandomGenerator {

        @Override
        public long nextLong() {
            return Long.MAX_VALUE;
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    }
}
