package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventuallyTest {

    @Test
    void the_first_value_that_satisfies_the_condition_is_returned() {
        AtomicInteger polls = new AtomicInteger();
        assertThat(Eventually.value("three polls", polls::incrementAndGet, polled -> polled >= 3))
                .isEqualTo(3);
    }

    @Test
    void a_condition_that_never_holds_reports_the_last_value() {
        assertThatThrownBy(() -> Eventually.value("two rows", Duration.ofMillis(5), () -> 1, rows -> rows == 2))
                .isInstanceOf(AssertionError.class)
                .hasMessage("waited 5 ms for: two rows; last value: 1");
    }

    @Test
    void a_probe_that_throws_is_tried_again() {
        AtomicInteger polls = new AtomicInteger();
        Eventually.holds("the server to be back", () -> {
            if (polls.incrementAndGet() < 3) {
                throw new IOException("connection refused");
            }
            return true;
        });
        assertThat(polls).hasValue(3);
    }

    @Test
    void a_probe_that_always_throws_is_the_cause_of_the_failure() {
        assertThatThrownBy(() -> Eventually.value(
                        "the server to be back",
                        Duration.ofMillis(5),
                        () -> {
                            throw new IOException("connection refused");
                        },
                        any -> true))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("connection refused")
                .hasCauseInstanceOf(IOException.class);
    }
}
