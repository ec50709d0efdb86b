package dev.tallystick.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the docs show is what happens. */
class DocsTest {

    private static final Project PROJECT = Project.load();

    private static final Pattern MODULE_ROW =
            Pattern.compile("\\| (?<link>\\[)?`(?<module>\\w+)`(\\]\\(\\w+\\))? \\| [^|]+ \\| (?<uses>[^|]*?) ?\\|");

    static List<ConsoleBlock> consoleBlocks() {
        return PROJECT.markdownFiles()
                .flatMap(file -> Markdown.of(file).blocks().stream())
                .filter(block -> block.language().equals("console"))
                .map(ConsoleBlock::of)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("consoleBlocks")
    void commands_print_what_the_docs_show(ConsoleBlock block) throws Exception {
        assertThat(block.brokenPromises(Project.ROOT)).as(block.place()).isEmpty();
    }

    @Test
    void java_in_the_docs_stands_in_a_test_that_runs_it() {
        List<String> tests = PROJECT.javaFiles()
                .filter(file -> file.path().endsWith("Test.java"))
                .map(file -> squeezed(file.lines().stream()))
                .toList();

        assertThat(PROJECT.markdownFiles()
                        .flatMap(file -> Markdown.of(file).blocks().stream())
                        .filter(block -> block.language().equals("java"))
                        .filter(block ->
                                tests.stream().noneMatch(test -> test.contains(squeezed(block.lines().stream()))))
                        .map(block -> block.path() + ":" + block.line()))
                .as("wanted in a test, line by line")
                .isEmpty();
    }

    /** White space and line breaks do not matter, for the formatter has its own mind about them. */
    private static String squeezed(Stream<String> lines) {
        return lines.map(line -> line.replaceAll("\\s", "")).reduce("", String::concat);
    }

    @Test
    void the_readme_shows_a_command_at_work() {
        assertThat(consoleBlocks()).anyMatch(block -> block.place().startsWith("README.md:"));
    }

    @Test
    void continuous_integration_runs_the_test_command_of_the_readme_and_no_other() {
        assertThat(mavenCommands(linesOf(".ci/run"))).containsExactlyElementsOf(testCommandOfTheReadme());
    }

    @Test
    void contributors_are_told_the_same_test_command() {
        assertThat(linesOf("CONTRIBUTING.md").toList()).containsAll(testCommandOfTheReadme());
    }

    @Test
    void the_architecture_page_shows_the_arrows_that_are_enforced() {
        Map<String, Set<String>> shown = new TreeMap<>();
        linesOf("ARCHITECTURE.md")
                .map(MODULE_ROW::matcher)
                .filter(Matcher::matches)
                .forEach(row -> {
                    Set<String> uses = new TreeSet<>(
                            List.of(row.group("uses").replace("`", "").split(", ")));
                    uses.remove("");
                    shown.put(row.group("module"), uses);
                });

        Map<String, Set<String>> enforced = new TreeMap<>();
        for (Module module : Module.values()) {
            Set<String> uses = new TreeSet<>();
            Stream.of(Module.values())
                    .filter(other -> other != module && module.mayUse(other))
                    .forEach(other -> uses.add(other.folder()));
            enforced.put(module.folder(), uses);
        }
        assertThat(shown).isEqualTo(enforced);
    }

    @Test
    void the_architecture_page_links_the_modules_that_exist() {
        assertThat(linesOf("ARCHITECTURE.md").map(MODULE_ROW::matcher).filter(Matcher::matches))
                .allSatisfy(row -> assertThat(row.group("link") != null)
                        .as(row.group("module"))
                        .isEqualTo(
                                PROJECT.file(row.group("module") + "/pom.xml").isPresent()));
    }

    @Test
    void a_wrong_answer_in_the_docs_is_caught() throws Exception {
        assertThat(brokenPromises("$ echo one", "one")).isEmpty();
        assertThat(brokenPromises("$ echo one", "two")).hasSize(1);
        assertThat(brokenPromises("$ echo one")).hasSize(1);
        assertThat(brokenPromises("$ echo one", "one", "two")).hasSize(1);
    }

    @Test
    void a_failing_command_in_the_docs_is_caught_unless_its_status_is_shown() throws Exception {
        assertThat(brokenPromises("$ sh -c 'echo no >&2; exit 2'", "no")).hasSize(1);
        assertThat(brokenPromises("$ sh -c 'echo no >&2; exit 2'", "no", "$ echo $?", "2"))
                .isEmpty();
        assertThat(brokenPromises("$ exit 0", "$ echo never")).hasSize(1);
    }

    @Test
    void an_ellipsis_stands_for_what_changes_from_run_to_run() throws Exception {
        assertThat(brokenPromises("$ printf 'at 12:00 (sharp)\\nx\\ny\\nend\\n'", "at … (sharp)", "…", "end"))
                .isEmpty();
        assertThat(brokenPromises("$ printf 'a\\nb\\n'", "…", "a")).hasSize(1);
    }

    private static List<String> brokenPromises(String... lines) throws Exception {
        var block = new Markdown.Block("planted.md", 1, "console", List.of(lines));
        return ConsoleBlock.of(block).brokenPromises(Project.ROOT);
    }

    private static List<String> testCommandOfTheReadme() {
        List<String> commands =
                mavenCommands(Markdown.of(PROJECT.file("README.md").orElseThrow()).blocks().stream()
                        .filter(block -> block.language().equals("sh"))
                        .flatMap(block -> block.lines().stream()));
        assertThat(commands).as("the README has one Maven command").hasSize(1);
        return commands;
    }

    private static List<String> mavenCommands(Stream<String> lines) {
        return lines.map(line -> line.replaceFirst("\\s+#.*", "").strip())
                .filter(line -> line.startsWith("mvn"))
                .toList();
    }

    private static Stream<String> linesOf(String path) {
        return PROJECT.file(path).orElseThrow().lines().stream();
    }
}
