package dev.tallystick.ledger.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.file.ProcessLock;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessLockTest {

    @TempDir
    Path scratch;

    @Test
    void an_interrupted_thread_does_not_spoil_the_lock_for_others() throws IOException {
        try (ProcessLock lock = ProcessLock.open(scratch, "a.lock");
                ProcessLock same = ProcessLock.open(scratch, "a.lock")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lock.holding(() -> "done")).isInstanceOf(IOException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(same.holding(() -> "done")).isEqualTo("done");
            assertThat(same.holdingIfFree(() -> "done")).isTrue();
        }
    }

    @Test
    void a_lock_that_is_held_is_not_free() throws Exception {
        try (ProcessLock lock = ProcessLock.open(scratch, "a.lock")) {
            boolean[] free = {true};
            lock.holding(() -> {
                Thread other = Thread.ofPlatform().start(() -> {
                    try {
                        free[0] = lock.holdingIfFree(() -> true);
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
                Threads.join(other);
                return true;
            });
            assertThat(free[0]).isFalse();
        }
    }
}
