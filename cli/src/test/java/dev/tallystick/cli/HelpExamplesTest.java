package dev.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Parses the examples of all help texts as a shell and the command would. Runs nothing. */
class HelpExamplesTest {

    private static final String BEGIN = "  tally ";

    /** Replaces {@code ID} in examples. */
    private static final String SOME_ID = "01890a5d-ac96-774b-bcce-b302099a8057";

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @ParameterizedTest
    @MethodSource("examples")
    void an_example_is_what_the_command_takes(String example) {
        assertThatCode(() -> parse(example)).doesNotThrowAnyException();
    }

    @Test
    void examples_are_found_in_every_help_text_that_has_any() {
        assertThat(examples())
                .hasSizeGreaterThan(60)
                .contains("tally demo", "tally task ls --group finance")
                .contains("tally schedule put nightly sample.order --cron '0 3 * * *' --zone Europe/Berlin"
                        + " --input '{\"order\":\"nightly\"}'");
    }

    @Test
    void an_unknown_option_and_a_missing_parameter_are_found_out() {
        assertThatThrownBy(() -> parse("tally job cancel --gently 1")).isInstanceOf(UnmatchedArgumentException.class);
        assertThatThrownBy(() -> parse("tally task claim")).isInstanceOf(MissingParameterException.class);
        assertThatThrownBy(() -> parse("tally job fork " + SOME_ID)).isInstanceOf(MissingParameterException.class);
    }

    @Test
    void help_breaks_lines_only_at_spaces_and_examples_not_at_all() {
        Deque<CommandLine> left = new ArrayDeque<>(Set.of(tally()));
        int seen = 0;
        while (!left.isEmpty()) {
            CommandLine command = left.pop();
            left.addAll(command.getSubcommands().values());
            String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
            String joined = help.replaceAll("\\s+", " ");
            for (ArgSpec argument : command.getCommandSpec().args()) {
                if (!argument.hidden()) {
                    assertThat(joined).contains(String.join(" ", argument.description()));
                    seen++;
                }
            }
            assertThat(joined)
                    .contains(String.join(
                                    " ", command.getCommandSpec().usageMessage().description())
                            .chars()
                            .mapToObj(c -> Character.toString(c >= 0xE000 && c < 0xE080 ? c - 0xE000 : c))
                            .collect(Collectors.joining()));
            assertThat(help.lines().toList())
                    .containsAll(List.of(command.getCommandSpec().usageMessage().footer()));
        }
        assertThat(seen).isGreaterThan(300);
        assertThat(Run.tally("submit", "--help").out()).contains("http://127.0.0.1:7070", "2030-01-01T00:00:00Z\n");
    }

    /** Without {@code #} comments. */
    static Set<String> examples() {
        Set<String> examples = new LinkedHashSet<>();
        Deque<CommandLine> left = new ArrayDeque<>(Set.of(tally()));
        while (!left.isEmpty()) {
            CommandLine command = left.pop();
            left.addAll(command.getSubcommands().values());
            String footer =
                    String.join("\n", command.getCommandSpec().usageMessage().footer());
            footer.replaceAll(" \\\\\n +", " ")
                    .lines()
                    .filter(line -> line.startsWith(BEGIN))
                    .map(line -> line.replaceFirst(" +#.*", "").strip())
                    .forEach(examples::add);
        }
        return examples;
    }

    private static void parse(String example) {
        String[] words = WORD.matcher(example)
                .results()
                .skip(1)
                .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                .map(word -> word.equals("ID") ? SOME_ID : word)
                .toArray(String[]::new);
        tally().parseArgs(words);
    }

    private static CommandLine tally() {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        return Tally.commandLine(nowhere, nowhere, Map.of());
    }
}
