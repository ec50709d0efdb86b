package dev.tallystick.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page that names the tests for our promises, in the form {@code `SomeTest.some_sentence`}. A test compares it with the
 * code:
 *
 * <pre>{@code
 * Proofs page = Proofs.read("docs/ledger-proofs.md");
 * assertThat(page.missingFrom("ledger", "cli")).isEmpty();
 * }</pre>
 *
 * @param named every test that it names, including repetitions
 */
public record Proofs(Path root, List<Named> named) {

    private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|Contract))\\.(\\w+)`");

    /** A test, by its class and its sentence. */
    public record Named(String type, String sentence) {

        boolean isIn(Path source) throws IOException {
            return source.endsWith(type + ".java") && Files.readString(source).contains(" void " + sentence + "(");
        }

        @Override
        public String toString() {
            return type + "." + sentence;
        }
    }

    /** The page at this path in the repository. */
    public static Proofs read(String page) throws IOException {
        Path root = Path.of(System.getProperty("tally.root"));
        return new Proofs(
                root,
                NAMED.matcher(Files.readString(root.resolve(page)))
                        .results()
                        .map(Proofs::named)
                        .toList());
    }

    private static Named named(MatchResult match) {
        return new Named(match.group(1), match.group(2));
    }

    /** The named tests that none of these modules has. */
    public List<Named> missingFrom(String... modules) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : modules) {
            try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/test/java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        List<Named> missing = new ArrayList<>();
        for (Named each : named) {
            boolean found = false;
            for (Path source : sources) {
                found |= each.isIn(source);
            }
            if (!found) {
                missing.add(each);
            }
        }
        return missing;
    }
}
