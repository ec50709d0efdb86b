package dev.tallystick.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.tidy.ToyCheckout.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher itself: which JDK it takes, when it builds, and what becomes of the command line. */
class LauncherTest {

    private static final int STATUS_OF_JAVA = 42;

    @TempDir
    Path base;

    private ToyCheckout checkout;

    @BeforeEach
    void unpack() throws IOException {
        checkout = new ToyCheckout(base);
    }

    @Test
    void the_jdk_named_by_tally_java_home_comes_first() throws Exception {
        checkout.jdk("jvm/newest", "99.0.1");
        checkout.set("JAVA_HOME", checkout.jdk("somewhere/else", "25"));
        checkout.set("TALLY_JAVA_HOME", checkout.jdk("some where/jdk", "21.0.2"));

        assertThat(checkout.tally().out()).contains("home=" + base.resolve("some where/jdk"));
    }

    @Test
    void then_comes_java_home_then_the_java_on_the_path_then_the_newest_installed() throws Exception {
        checkout.set("JAVA_HOME", checkout.jdk("home/of/java", "24"));
        checkout.jdk("path/jdk", "23.0.1");
        checkout.link("alternatives/java", base.resolve("path/jdk/bin/java"));
        checkout.link("tools/java", Path.of("../alternatives/java"));
        checkout.jdk("jvm/jdk-9-last-by-name", "9.0.4");
        checkout.jdk("jvm/jdk-25-old", "25.0.2");
        checkout.jdk("jvm/jdk-25-new", "25.0.10");

        assertThat(checkout.tally().out()).contains("home=" + base.resolve("home/of/java"));

        checkout.jdk("home/of/java", "17.0.15");
        assertThat(checkout.tally().out()).contains("home=" + base.resolve("path/jdk"));

        checkout.jdk("path/jdk", "1.8.0_402");
        assertThat(checkout.tally().out()).contains("home=" + base.resolve("jvm/jdk-25-new"));
    }

    @Test
    void a_named_jdk_that_will_not_do_is_passed_over_aloud() throws Exception {
        checkout.set("TALLY_JAVA_HOME", checkout.jdk("old", "20.0.2"));
        checkout.jdk("jvm/jdk-21-early-access", "21-ea");

        Run run = checkout.tally();

        assertThat(run.out()).contains("home=" + base.resolve("jvm/jdk-21-early-access"));
        assertThat(run.err()).contains("is not a JDK 21 or newer");
    }

    @Test
    void without_a_recent_jdk_it_says_how_to_get_one() throws Exception {
        checkout.jdk("jvm/jdk-17", "17.0.15");
        Files.delete(checkout.jdk("jvm/jre-25", "25.0.1").resolve("bin/javac"));

        Run run = checkout.tally();

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("no JDK 21 or newer was found", "apt install openjdk-21-jdk", "brew install");
        assertThat(checkout.mavenCalls()).isEmpty();
    }

    @Test
    void without_maven_it_says_how_to_get_it() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.delete("tools/mvn");

        Run run = checkout.tally();

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("Maven is needed", "apt install maven");
    }

    @Test
    void the_first_use_builds_and_the_second_does_not() throws Exception {
        Path jdk = checkout.jdk("jvm/jdk", "25");

        assertThat(checkout.tally().err()).isEqualTo("building tally (first use, a minute or two) …\n");
        assertThat(checkout.tally().err()).isEmpty();

        assertThat(checkout.mavenCalls()).singleElement().asString().startsWith(jdk + " -B -pl cli -am package");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pom.xml", "core/pom.xml", "core/src/main/java/First.java", "cli/src/main/java/New.java"})
    void a_changed_or_new_source_is_built_again(String path) throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.tally();

        checkout.change(path);

        assertThat(checkout.tally().err()).isEqualTo("building tally (the sources have changed) …\n");
        assertThat(checkout.mavenCalls()).hasSize(2);
    }

    @Test
    void a_deleted_source_is_noticed() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.tally();

        checkout.remove("core/src/main/java/Second.java");

        checkout.tally();
        assertThat(checkout.mavenCalls()).hasSize(2);
    }

    @Test
    void a_source_that_changes_during_the_build_is_not_missed() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.write("check out/hold", "");
        Process building = checkout.start("check out/tally");
        assertThat(building.errorReader().readLine()).startsWith("building tally");

        checkout.change("core/src/main/java/First.java");
        checkout.delete("check out/hold");
        ToyCheckout.await(building);

        checkout.tally();
        assertThat(checkout.mavenCalls()).hasSize(2);
    }

    @Test
    void what_the_command_does_not_need_is_not_built_again() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.tally();

        checkout.change("bench/src/main/java/First.java");
        checkout.change("core/src/test/java/FirstTest.java");

        checkout.tally();
        assertThat(checkout.mavenCalls()).hasSize(1);
    }

    @Test
    void a_failed_build_shows_its_end_and_where_the_rest_is_and_is_tried_again() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.write("check out/broken", "");

        Run run = checkout.tally();

        Path log = checkout.root().resolve("target/launch/cli/build.log");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("the compiler says no", log.toString());
        assertThat(log).exists();
        checkout.delete("check out/broken");
        assertThat(checkout.tally().status()).isEqualTo(STATUS_OF_JAVA);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void two_at_once_build_once(boolean withFlock) throws Exception {
        checkout.jdk("jvm/jdk", "25");
        if (!withFlock) {
            checkout.delete("tools/flock");
        }
        checkout.write("check out/hold", "");
        Process one = checkout.start("check out/tally");
        assertThat(one.errorReader().readLine()).startsWith("building tally");
        Process other = checkout.start("check out/tally");
        assertThat(other.errorReader().readLine()).contains("waiting for another build");

        checkout.delete("check out/hold");

        assertThat(ToyCheckout.await(one).status()).isEqualTo(STATUS_OF_JAVA);
        assertThat(ToyCheckout.await(other).status()).isEqualTo(STATUS_OF_JAVA);
        assertThat(checkout.mavenCalls()).hasSize(1);
    }

    @Test
    void a_build_that_was_killed_does_not_lock_out_the_next() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.delete("tools/flock");
        Process dead = checkout.start("tools/sh", "-c", "exit");
        ToyCheckout.await(dead);
        checkout.write("check out/target/launch/lock.pid", dead.pid() + "\n");

        assertThat(checkout.tally().status()).isEqualTo(STATUS_OF_JAVA);
    }

    @Test
    void jars_of_a_dependency_that_is_gone_are_not_on_the_class_path() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.write("check out/cli/target/lib/gone-1.0.jar", "");

        assertThat(checkout.tally().out())
                .filteredOn(line -> line.contains("tallystick-cli.jar"))
                .singleElement()
                .asString()
                .contains("tallystick-core-0.1.0-SNAPSHOT.jar")
                .doesNotContain("gone");
    }

    @Test
    void a_new_build_leaves_the_jars_of_the_one_before_in_place() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        Path before = jarOf(checkout.tally());
        FileTime written = Files.getLastModifiedTime(before);
        checkout.change("pom.xml");

        Path after = jarOf(checkout.tally());

        assertThat(after).isNotEqualTo(before).exists();
        assertThat(before).exists();
        assertThat(Files.getLastModifiedTime(before)).isEqualTo(written);
    }

    @Test
    void it_becomes_java_with_the_arguments_as_they_were_given() throws Exception {
        checkout.jdk("jvm/jdk", "25");

        Run run = checkout.tally("a b", "", "*", "--json", "$HOME");

        assertThat(run.out())
                .contains("pid=" + run.pid())
                .endsWith("<dev.tallystick.cli.Tally>", "<a b>", "<>", "<*>", "<--json>", "<$HOME>");
        assertThat(run.status()).isEqualTo(STATUS_OF_JAVA);
    }

    @Test
    void it_finds_its_checkout_through_symbolic_links() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.link("links/tally", Path.of("../check out/tally"));
        checkout.link("tally of another name", base.resolve("links/tally"));

        Run run = ToyCheckout.await(checkout.start("tally of another name"));

        assertThat(run.status()).isEqualTo(STATUS_OF_JAVA);
        assertThat(jarOf(run)).startsWith(checkout.root());
    }

    @Test
    void loaded_classes_are_archived_once_for_each_jdk() throws Exception {
        checkout.set("JAVA_HOME", checkout.jdk("some/jdk", "25.0.3"));
        checkout.tally();
        assertThat(checkout.tally().out()).anyMatch(line -> line.endsWith("/classes-25000003.jsa>"));

        checkout.set("JAVA_HOME", checkout.jdk("other/jdk", "26"));
        assertThat(checkout.tally().out()).anyMatch(line -> line.endsWith("/classes-26000000.jsa>"));
        assertThat(checkout.mavenCalls()).hasSize(1);
    }

    @Test
    void only_short_commands_go_without_the_optimising_compiler() throws Exception {
        checkout.jdk("jvm/jdk", "25");

        assertThat(checkout.tally("explain").out()).contains("<-XX:TieredStopAtLevel=1>");
        assertThat(checkout.tally("--json", "server").out()).doesNotContain("<-XX:TieredStopAtLevel=1>");
    }

    @Test
    void inside_a_build_it_runs_what_that_build_has_made() throws Exception {
        checkout.jdk("jvm/jdk", "25");
        checkout.write("check out/cli/target/tallystick-cli.jar", "");
        checkout.set("TALLY_BUILD", "never");

        assertThat(jarOf(checkout.tally())).isEqualTo(checkout.root().resolve("cli/target/tallystick-cli.jar"));
        assertThat(checkout.mavenCalls()).isEmpty();
    }

    private static Path jarOf(Run run) {
        int option = run.out().indexOf("<-cp>");
        assertThat(option).isNotNegative();
        return Path.of(run.out().get(option + 1).substring(1).split("[:>]", 2)[0]);
    }
}
