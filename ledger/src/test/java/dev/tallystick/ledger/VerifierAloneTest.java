package dev.tallystick.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The verifier judges the writer; if they shared code, it would not detect their common mistakes. */
class VerifierAloneTest {

    private static final Pattern OURS = Pattern.compile("dev\\.tallystick(\\.\\w+)*");

    @Test
    void the_verifier_shares_no_code_with_the_writer() throws IOException {
        Path sources = Path.of(System.getProperty("tally.root"), "ledger/src/main/java/dev/tallystick/ledger/verifier");
        List<String> shared = new ArrayList<>();
        try (var files = Files.walk(sources)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Matcher ours = OURS.matcher(Files.readString(file));
                while (ours.find()) {
                    if (!ours.group().startsWith("dev.tallystick.ledger.verifier")) {
                        shared.add(file.getFileName() + ": " + ours.group());
                    }
                }
            }
        }
        assertThat(shared).isEmpty();
    }
}
