package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UserCodeRoundTest {

    /** Otherwise a caller would wait once more for each handful of them. */
    @Test
    void what_is_not_done_in_time_is_named_at_once_begun_or_not() throws Exception {
        UserCode userCode = new UserCode();
        Signal released = new Signal("the slow ones are released");
        List<Integer> items = IntStream.range(0, 20).boxed().toList();
        Set<Integer> begun = ConcurrentHashMap.newKeySet();
        try {
            UserCode.Left<Integer> left = userCode.each(items, Duration.ofMillis(200), (item, caller) -> {
                begun.add(item);
                while (!released.hasFired()) {
                    Thread.onSpinWait();
                }
            });

            List<Integer> started =
                    Stream.concat(left.late().stream(), left.starved().stream()).toList();
            assertThat(started).isNotEmpty().isSubsetOf(begun);
            assertThat(left.kept()).isNotEmpty().doesNotContainAnyElementsOf(begun);
            assertThat(started.size() + left.kept().size()).isEqualTo(items.size());
        } finally {
            released.fire();
        }
    }

    /** A busy machine, a stopped process and a codec that waits for its key service all look like this. */
    @Test
    void code_that_hardly_ran_is_not_called_late() throws Exception {
        UserCode userCode = new UserCode();
        Signal released = new Signal("the waiting one is released");
        try {
            UserCode.Left<Integer> left =
                    userCode.each(List.of(1), Duration.ofMillis(200), (item, caller) -> released.await());

            assertThat(left.late()).isEmpty();
            assertThat(left.starved()).containsExactly(1);
        } finally {
            released.fire();
        }
    }

    /** Many times, because the one who waits and the one who is interrupted race. */
    @Test
    void what_the_interrupt_makes_of_code_that_is_given_up_does_not_count() throws Exception {
        UserCode userCode = new UserCode();
        for (int i = 0; i < 300; i++) {
            UserCode.Left<Integer> left = userCode.each(List.of(1), Duration.ofMillis(1), (item, caller) -> {
                while (!Thread.interrupted()) {
                    LockSupport.park();
                }
            });

            assertThat(left.isEmpty()).as("round %d", i).isFalse();
        }
    }

    @Test
    void nothing_more_is_begun_while_too_many_threads_are_stuck() throws Exception {
        UserCode userCode = new UserCode();
        Signal released = new Signal("the stuck ones are released");
        List<Thread> stuck = Collections.synchronizedList(new ArrayList<>());
        UserCode.Work<Integer> hang = (item, caller) -> {
            stuck.add(Thread.currentThread());
            while (!released.hasFired()) {
                Thread.onSpinWait();
            }
        };
        try {
            while (UserCode.stuck() < UserCode.MAX_STUCK) {
                UserCode.Left<Integer> unused = userCode.each(List.of(1, 2, 3, 4), Duration.ofMillis(50), hang);
            }

            assertThatThrownBy(() -> userCode.each(List.of(1), Duration.ofSeconds(1), (item, caller) -> {}))
                    .isInstanceOf(DefiniteFailureException.class)
                    .hasMessageContaining("have not come back");
            assertThat(stuck).hasSizeLessThan(UserCode.MAX_STUCK + 4);
        } finally {
            released.fire();
        }
        while (UserCode.stuck() > 0) {
            Thread.onSpinWait();
        }
        assertThat(userCode.each(List.of(1), Duration.ofSeconds(10), (item, caller) -> {})
                        .isEmpty())
                .isTrue();
    }
}
