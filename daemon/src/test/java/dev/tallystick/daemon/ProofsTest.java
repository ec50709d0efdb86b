package dev.tallystick.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Proofs;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The page of promises names tests that exist. */
class ProofsTest {

    @Test
    void every_test_that_the_page_names_is_there() throws IOException {
        Proofs page = Proofs.read("docs/daemon-proofs.md");

        assertThat(page.named()).hasSizeGreaterThan(40);
        assertThat(page.missingFrom("daemon")).isEmpty();
    }
}
