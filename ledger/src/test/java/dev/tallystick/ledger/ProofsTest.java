package dev.tallystick.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page that says which test shows what. */
class ProofsTest {

    private static final Pattern NAMED = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final List<String> TESTS =
            List.of("ledger/src/test/java/dev/tallystick/ledger/", "cli/src/test/java/dev/tallystick/cli/");

    @Test
    void every_test_that_the_page_names_exists() throws IOException {
        Path root = Path.of(System.getProperty("tally.root"));
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (MatchResult test : NAMED.matcher(Files.readString(root.resolve("docs/ledger-proofs.md")))
                .results()
                .toList()) {
            named++;
            if (!source(root, test.group(1)).contains(" void " + test.group(2) + "(")) {
                missing.add(test.group());
            }
        }
        assertThat(missing).isEmpty();
        assertThat(named).isGreaterThan(60);
    }

    private static String source(Path root, String test) throws IOException {
        for (String directory : TESTS) {
            Path file = root.resolve(directory + test + ".java");
            if (Files.exists(file)) {
                return Files.readString(file);
            }
        }
        return "";
    }
}
