package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Proofs;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The page that says which test shows what. */
class ProofsTest {

    @Test
    void every_test_that_the_page_names_exists() throws IOException {
        Proofs page = Proofs.read("docs/front-door-proofs.md");

        assertThat(page.missingFrom("core", "keys", "engine", "broker", "client", "server", "cli", "testkit"))
                .isEmpty();
        assertThat(page.named()).hasSizeGreaterThan(60);
    }
}
