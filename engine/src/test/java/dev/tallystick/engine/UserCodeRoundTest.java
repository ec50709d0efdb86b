package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UserCodeRoundTest {

    /** Else whoever waits would wait once more for each handful of them. */
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

            assertThat(left.late()).isNotEmpty().isSubsetOf(begun);
            assertThat(left.kept()).isNotEmpty().doesNotContainAnyElementsOf(begun);
            assertThat(left.late().size() + left.kept().size()).isEqualTo(items.size());
        } finally {
            released.fire();
        }
    }
}
