package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LastingThreadsTest {

    @Test
    void a_thread_that_dies_is_missed_and_one_that_was_told_to_end_is_not() throws Exception {
        Loop loop = new Loop("ended-in-peace", Duration.ofSeconds(1), () -> {});
        loop.start();
        loop.end();
        loop.awaitEnd(Duration.ofSeconds(10));
        Thread dying = Thread.ofPlatform()
                .name("tally-dying")
                .unstarted(() -> LastingThreads.last(() -> {
                    throw new AssertionError("planted");
                }));
        dying.setUncaughtExceptionHandler((thread, planted) -> {});
        dying.start();
        dying.join();

        assertThat(LastingThreads.dead()).contains("tally-dying").doesNotContain("tally-ended-in-peace");
    }
}
