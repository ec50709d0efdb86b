package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class SignalTest {

    @Test
    void waiting_threads_continue_once_the_signal_fires() {
        Signal signal = new Signal("the other thread");
        Thread.ofVirtual().start(signal::fire);
        signal.await();
        assertThat(signal.hasFired()).isTrue();
    }

    @Test
    void a_signal_that_never_fires_says_what_was_missed() {
        Signal signal = new Signal("the worker to take the job");
        assertThatThrownBy(() -> signal.await(Duration.ofMillis(1)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("waited 1 ms for: the worker to take the job");
        assertThat(signal.hasFired()).isFalse();
    }

    @Test
    void an_interrupt_ends_the_wait_and_is_not_forgotten() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(new Signal("nothing")::await).hasMessage("interrupted while waiting for: nothing");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void a_gate_stops_threads_until_the_test_opens_it() throws InterruptedException {
        Gate gate = new Gate("before the commit");
        List<String> order = new CopyOnWriteArrayList<>();
        Thread worker = Thread.ofVirtual().start(() -> {
            gate.pass();
            order.add("worker");
        });

        gate.awaitArrival();
        order.add("test");
        gate.open();
        worker.join();

        assertThat(order).containsExactly("test", "worker");
    }
}
