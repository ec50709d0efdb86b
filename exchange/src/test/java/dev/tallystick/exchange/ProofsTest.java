package dev.tallystick.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Proofs;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProofsTest {

    @Test
    void every_test_that_the_page_names_exists() throws IOException {
        Proofs page = Proofs.read("docs/exchange-proofs.md");

        assertThat(page.named()).isNotEmpty();
        assertThat(page.missingFrom("exchange", "tallystick", "server", "cli", "examples/partner"))
                .isEmpty();
    }
}
