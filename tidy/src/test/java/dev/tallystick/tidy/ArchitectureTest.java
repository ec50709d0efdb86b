package dev.tallystick.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The arrows between the modules and the bans, over the classes that this build compiled. */
class ArchitectureTest {

    private static final Pattern MODULE = Pattern.compile("<module>(.+?)</module>");
    private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>(.*?)</dependency>");

    private static final CompiledModules MODULES = CompiledModules.below(Project.ROOT);

    static List<Ban> bans() {
        return Ban.all();
    }

    @TempDir
    Path planted;

    @Test
    void every_module_has_its_row_in_the_table() throws IOException {
        assertThat(modulesOfTheBuild())
                .isNotEmpty()
                .allSatisfy(folder -> assertThat(Module.ofFolder(folder))
                        .as("the module '%s' is missing from the table in Module", folder)
                        .isPresent());
    }

    @Test
    void every_module_is_built_before_it_is_judged() throws IOException {
        String tidy = Files.readString(Project.ROOT.resolve("tidy/pom.xml"));

        assertThat(modulesOfTheBuild())
                .filteredOn(folder -> !folder.equals(Module.TIDY.folder()))
                .map(folder ->
                        "<artifactId>" + Module.ofFolder(folder).orElseThrow().artifact() + "</artifactId>")
                .filteredOn(artifact -> !tidy.contains(artifact))
                .as("wanted as dependencies in tidy/pom.xml")
                .isEmpty();
    }

    @Test
    void every_module_with_main_code_was_compiled() throws IOException {
        assertThat(modulesOfTheBuild())
                .filteredOn(
                        folder -> Files.isDirectory(Project.ROOT.resolve(folder).resolve("src/main/java")))
                .allSatisfy(
                        folder -> assertThat(MODULES.has(Module.ofFolder(folder).orElseThrow()))
                                .as("'%s' is not compiled: run the whole build", folder)
                                .isTrue());
    }

    @Test
    void strangers_have_no_arrow_to_each_other() {
        assertThat(Module.STRANGERS)
                .allSatisfy(one -> assertThat(Module.STRANGERS)
                        .filteredOn(other -> other != one)
                        .noneMatch(one::mayUse));
    }

    @Test
    void classes_use_only_the_modules_that_their_row_names() {
        assertThat(MODULES.forbiddenArrows()).isEmpty();
    }

    @Test
    void poms_ask_only_for_the_modules_that_their_row_names() throws IOException {
        for (String folder : modulesOfTheBuild()) {
            Module module = Module.ofFolder(folder).orElseThrow();
            String pom = Files.readString(Project.ROOT.resolve(folder).resolve("pom.xml"));
            List<String> asked = DEPENDENCY
                    .matcher(pom)
                    .results()
                    .map(found -> found.group(1))
                    .filter(dependency -> !dependency.contains("<scope>test</scope>"))
                    .toList();
            assertThat(Module.values())
                    .filteredOn(other -> asked.stream()
                            .anyMatch(dependency ->
                                    dependency.contains("<artifactId>" + other.artifact() + "</artifactId>")))
                    .as("%s/pom.xml", folder)
                    .allMatch(module::mayUse);
        }
    }

    @Test
    void an_install_without_tests_leaves_out_exactly_what_is_never_published() throws IOException {
        String[] pom = Files.readString(Project.ROOT.resolve("pom.xml")).split("<profiles>", 2);
        assertThat(pom[1]).contains("<name>!skipTests</name>");
        List<String> installed = modulesIn(pom[0]);

        for (String folder : modulesIn(pom[0] + pom[1])) {
            String module = Files.readString(Project.ROOT.resolve(folder).resolve("pom.xml"));
            assertThat(module.contains("<maven.install.skip>true<") && module.contains("<maven.deploy.skip>true<"))
                    .as("%s/pom.xml skips install and deploy", folder)
                    .isEqualTo(!installed.contains(folder));
        }
    }

    @Test
    void classes_are_in_the_package_of_their_module() {
        assertThat(MODULES.misplacedClasses()).isEmpty();
    }

    @Test
    void core_needs_nothing_but_the_jdk() {
        assertThat(MODULES.foreignUses(Module.CORE)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("bans")
    void main_code_keeps_the_ban(Ban ban) {
        assertThat(MODULES.offences(ban)).as(ban.instead()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("bans")
    void the_ban_catches_what_was_planted(Ban ban) {
        List<String> classes = IntStream.range(0, ban.planted().size())
                .mapToObj(i -> "class Planted%d { Object o = %s; }"
                        .formatted(i, ban.planted().get(i)))
                .toList();
        plant(Module.SQL, "package dev.tallystick.sql; " + String.join(" ", classes));

        List<String> offences = CompiledModules.below(planted).offences(ban).toList();

        assertThat(IntStream.range(0, classes.size()))
                .allSatisfy(i ->
                        assertThat(offences).as(classes.get(i)).anyMatch(offence -> offence.contains(".Planted" + i)));
    }

    @Test
    void an_injected_clock_and_a_seeded_generator_are_not_banned() {
        plant(Module.SQL, """
            package dev.tallystick.sql;
            class Planted {
                Object now = java.time.Instant.now(java.time.Clock.systemUTC());
                Object random = new java.util.Random(42);
                Object date = new java.util.Date(42);
            }
            """);

        CompiledModules modules = CompiledModules.below(planted);

        assertThat(Ban.all().stream().flatMap(modules::offences)).isEmpty();
    }

    @Test
    void a_forbidden_arrow_is_caught() {
        plant(Module.EXCHANGE, "package dev.tallystick.exchange; public class Posting {}");
        plant(
                Module.ENGINE,
                "package dev.tallystick.engine; class Leg { dev.tallystick.exchange.Posting[] postings; }");

        assertThat(CompiledModules.below(planted).forbiddenArrows())
                .isNotEmpty()
                .allMatch(offence -> offence.startsWith("ENGINE may not use EXCHANGE"));
    }

    @Test
    void a_class_in_another_modules_package_is_caught() {
        plant(Module.LEDGER, "package dev.tallystick.core; class Intruder {}");

        assertThat(CompiledModules.below(planted).misplacedClasses())
                .containsExactly("LEDGER: dev.tallystick.core.Intruder");
    }

    @Test
    void a_library_in_core_is_caught() {
        plant(Module.CORE, "package dev.tallystick.core; class Planted extends org.assertj.core.api.Assertions {}");

        assertThat(CompiledModules.below(planted).foreignUses(Module.CORE)).isNotEmpty();
    }

    private static List<String> modulesOfTheBuild() throws IOException {
        return modulesIn(Files.readString(Project.ROOT.resolve("pom.xml"))).stream()
                .filter(folder -> !folder.startsWith("examples/"))
                .toList();
    }

    private static List<String> modulesIn(String pom) {
        return MODULE.matcher(pom).results().map(found -> found.group(1)).toList();
    }

    /** Compiles classes as if they were of that module, against what has been planted before them. */
    private void plant(Module module, String text) {
        String classPath = Stream.concat(
                        Stream.of(Module.values()).map(other -> classesOf(other).toString()),
                        Stream.of(System.getProperty("java.class.path")))
                .collect(Collectors.joining(File.pathSeparator));
        var options = List.of("-proc:none", "-nowarn", "-d", classesOf(module).toString(), "-cp", classPath);
        var source = new JavaSyntax.InMemorySource(new SourceFile(typeIn(text) + ".java", text));
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, options, null, List.of(source))
                .call();
        assertThat(compiled).as(text).isTrue();
    }

    private Path classesOf(Module module) {
        return planted.resolve(module.folder()).resolve("target/classes");
    }

    private static String typeIn(String text) {
        return text.replaceFirst("(?s).*?\\bclass (\\w+).*", "$1");
    }
}
