package dev.tallystick.exchange.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BellTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Bell bell = new Bell();

    @Test
    void the_first_receiver_does_not_wait() {
        assertThat(bell.await(LONG)).isEqualTo(1);
    }

    @Test
    void a_receiver_that_left_nothing_waits_for_the_next_ring() {
        bell.answered(bell.await(LONG));
        assertThat(bell.await(Duration.ZERO)).isEqualTo(1);
        CompletableFuture<Long> waiting = CompletableFuture.supplyAsync(() -> bell.await(LONG));
        bell.ring();

        assertThat(waiting.join()).isEqualTo(2);
    }

    @Test
    void a_ring_while_a_receiver_works_is_not_lost() {
        long before = bell.await(LONG);
        bell.ring();
        bell.answered(before);

        assertThat(bell.await(LONG)).isEqualTo(2);
    }

    @Test
    void closing_ends_the_wait() {
        bell.answered(bell.await(LONG));
        CompletableFuture<Long> waiting = CompletableFuture.supplyAsync(() -> bell.await(LONG));
        bell.close();

        assertThat(waiting.join()).isEqualTo(1);
    }
}
