package dev.tallystick.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Proofs;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The page that names the tests for what the seal promises names tests that exist. */
class ProofsTest {

    @Test
    void every_test_that_the_page_names_exists() throws IOException {
        Proofs page = Proofs.read("docs/seal-proofs.md");
        assertThat(page.named()).isNotEmpty();
        assertThat(page.missingFrom("log", "engine", "server", "tallystick", "cli"))
                .isEmpty();
    }
}
