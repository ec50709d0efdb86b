package dev.tallystick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One owner per directory, and a second process learns who the first is. */
@Timeout(120)
class OwnershipTest {

    private Sandbox sandbox;

    @BeforeEach
    void openSandbox() throws IOException {
        sandbox = new Sandbox();
    }

    @AfterEach
    void closeSandbox() throws IOException {
        sandbox.close();
    }

    @Test
    void a_second_process_is_refused_until_the_first_has_closed() throws IOException {
        Sandbox.Child first = sandbox.child("hold", sandbox.usedDirectory());
        first.line();

        assertRefusedBecauseOf(first.pid());
        assertThat(first.end()).isZero();

        EmbeddedPostgres.at(sandbox.directory()).start().close();
    }

    /** The attempt in the owner's own process must not release its lock, as POSIX locks would. */
    @Test
    void a_second_start_in_the_same_process_is_refused_and_does_not_loosen_the_lock() throws IOException {
        try (EmbeddedPostgres first =
                EmbeddedPostgres.at(sandbox.usedDirectory()).start()) {
            assertRefusedBecauseOf(ProcessHandle.current().pid());

            Sandbox.Child second = sandbox.child("hold", sandbox.directory());
            assertThat(second.rest()).isEmpty();
            assertThat(second.exitCode()).isNotZero();
            assertThat(first.pid())
                    .isEqualTo(PidFile.read(sandbox.layout()).orElseThrow().pid());
        }
    }

    private void assertRefusedBecauseOf(long holder) {
        assertThatThrownBy(EmbeddedPostgres.at(sandbox.directory())::start)
                .isInstanceOfSatisfying(
                        DirectoryInUseException.class,
                        inUse -> assertThat(inUse.holder()).hasValue(holder))
                .hasMessageContaining("process " + holder);
    }
}
