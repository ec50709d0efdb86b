package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CountersTest {

    private static final int LIMIT = 3;

    private final Counters<String> counters = new Counters<>();

    @Test
    void counts_up_to_its_limit_and_down_again() {
        assertThat(counters.up("a", 2)).isEqualTo(1);
        assertThat(counters.up("a", 2)).isEqualTo(2);
        assertThat(counters.up("a", 2)).isEqualTo(Counters.FULL);
        assertThat(counters.up("b", 2)).isEqualTo(1);
        counters.down("a");
        assertThat(counters.up("a", 2)).isEqualTo(2);
    }

    @Test
    void keeps_no_counter_that_is_at_zero() {
        counters.up("a", 1);
        counters.down("a");
        assertThat(counters.size()).isZero();
        assertThat(counters.up("a", 1)).isEqualTo(1);
    }

    /** Few holders and many changes, so that counters leave the map while others look for them. */
    @Test
    void never_exceeds_its_limit_and_forgets_none() throws Exception {
        AtomicInteger holders = new AtomicInteger();
        List<Future<?>> threads = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(LIMIT + 1)) {
            for (int i = 0; i <= LIMIT; i++) {
                threads.add(executor.submit(() -> {
                    for (int round = 0; round < 50_000; round++) {
                        if (counters.up("a", LIMIT) != Counters.FULL) {
                            assertThat(holders.incrementAndGet()).isBetween(1, LIMIT);
                            holders.decrementAndGet();
                            counters.down("a");
                        }
                    }
                }));
            }
            for (Future<?> thread : threads) {
                thread.get();
            }
        }
        assertThat(counters.size()).isZero();
    }
}
