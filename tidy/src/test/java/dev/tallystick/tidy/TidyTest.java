package dev.tallystick.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The house rules over the text of the whole project, and over what each of them was given to catch. */
class TidyTest {

    private static final Project PROJECT = Project.load();

    static List<Rule> rules() {
        return Stream.of(TextRules.all(), JavaRules.all(), PaperRules.all())
                .flatMap(List::stream)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void the_project_keeps_the_rule(Rule rule) {
        assertThat(rule.offences(PROJECT)).as(rule.says()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void the_rule_catches_what_was_planted(Rule rule) {
        assertThat(rule.planted())
                .as("every rule has an offence planted for it")
                .isNotEmpty();
        assertThat(rule.planted())
                .allSatisfy(file -> assertThat(rule.offences(Project.of(List.of(file))))
                        .as(file.text())
                        .isNotEmpty());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void the_rule_leaves_the_innocent_alone(Rule rule) {
        assertThat(rule.innocent())
                .allSatisfy(file ->
                        assertThat(rule.offences(Project.of(List.of(file)))).isEmpty());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void every_exception_from_the_rule_is_still_needed(Rule rule) {
        assertThat(rule.needlessExceptions(PROJECT)).isEmpty();
    }
}
