package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressBarTest {

    private final StringWriter screen = new StringWriter();
    private final AtomicLong now = new AtomicLong();

    @Test
    void a_bar_grows_and_is_gone_in_the_end() {
        try (ProgressBar bar = ProgressBar.on(new PrintWriter(screen), now::get)) {
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            bar.report("objects", 50, 100);
            bar.report("objects", 51, 100);
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            bar.report("objects", 100, 100);
        }
        assertThat(screen.toString().split("\r\u001b\\[K", -1))
                .containsExactly(
                        "",
                        "objects [" + "#".repeat(15) + " ".repeat(15) + "] 50 of 100",
                        "objects [" + "#".repeat(30) + "] 100 of 100",
                        "");
    }

    @Test
    void short_work_draws_no_bar() {
        try (ProgressBar bar = ProgressBar.on(new PrintWriter(screen), now::get)) {
            bar.report("objects", 1, 1);
        }
        assertThat(screen.toString()).isEmpty();
    }

    @Test
    void without_a_terminal_nothing_is_drawn() {
        try (ProgressBar bar = ProgressBar.silent()) {
            bar.report("objects", 1, 2);
        }
        assertThat(screen.toString()).isEmpty();
    }
}
