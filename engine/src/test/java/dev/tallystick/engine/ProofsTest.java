package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page that says which test shows what. */
class ProofsTest {

    private static final Pattern NAMED = Pattern.compile("`(\\w+Test)\\.(\\w+)`");

    @Test
    void every_test_that_the_page_names_exists() throws IOException, ClassNotFoundException {
        String page = Files.readString(Path.of(System.getProperty("tally.root"), "docs/engine-proofs.md"));
        List<String> missing = new ArrayList<>();
        for (MatchResult named : NAMED.matcher(page).results().toList()) {
            Class<?> test = Class.forName(getClass().getPackageName() + "." + named.group(1));
            if (Arrays.stream(test.getDeclaredMethods())
                    .noneMatch(method -> method.getName().equals(named.group(2)))) {
                missing.add(named.group());
            }
        }

        assertThat(missing).isEmpty();
    }
}
