package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.cli.Tally;
import dev.tallystick.core.Json;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class TallyTest {

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V"})
    void the_version_is_that_of_the_build(String option) {
        Run run = Run.tally(option);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).matches("tally \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void the_version_comes_as_json_too() {
        Run run = Run.tally("--version", "--json");

        assertThat(run.exitCode()).isZero();
        assertThat(Json.parse(run.out()))
                .isEqualTo(new Json.ObjectValue(Map.of("version", Json.of(Version.current()))));
    }

    @Test
    void help_names_the_commands_and_gives_examples() {
        Run run = Run.tally("--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("Usage: tally", "explain", "--json", "Examples:", "tally explain 001110000000001")
                .contains("Exit codes: 0 done");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void the_examples_that_need_no_server_work() {
        Stream<String> examples = Stream.of(Run.tally("--help"), Run.tally("explain", "--help"))
                .flatMap(help -> help.out().lines())
                .filter(line -> line.startsWith("  tally "));
        assertThat(examples).hasSizeGreaterThan(4).allSatisfy(example -> {
            String[] words = example.strip().split(" ", -1);
            assertThat(Run.tally(Arrays.copyOfRange(words, 1, words.length)).exitCode())
                    .isZero();
        });
    }

    @Test
    void every_group_of_commands_explains_itself() {
        for (String group : new String[] {
            "server",
            "submit",
            "job",
            "deadletter",
            "schedule",
            "task",
            "workflow",
            "mesh",
            "member",
            "topic",
            "device",
            "key"
        }) {
            Run help = Run.tally(group, "--help");
            assertThat(help.exitCode()).isZero();
            assertThat(help.out()).contains("Examples:", "tally " + group);
        }
    }

    @Test
    void every_command_gives_an_example() {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Map<String, CommandLine> all =
                new HashMap<>(Tally.commandLine(nowhere, nowhere, Map.of()).getSubcommands());
        // These use a repository instead of a server; their guides have the examples.
        all.keySet().removeAll(List.of("ledger", "verify"));
        Deque<CommandLine> left = new ArrayDeque<>(all.values());
        List<String> without = new ArrayList<>();
        int many = 0;
        while (!left.isEmpty()) {
            CommandLine command = left.pop();
            left.addAll(command.getSubcommands().values());
            many++;
            String name = command.getCommandSpec().qualifiedName();
            String examples = command.getUsageMessage().replaceFirst("(?s).*\nExamples:\n", "");
            if (examples.lines().noneMatch(line -> (line + " ").startsWith("  " + name + " "))) {
                without.add(name);
            }
        }

        assertThat(without).isEmpty();
        assertThat(many).isGreaterThan(50);
    }

    @Test
    void without_a_command_it_says_what_there_is_and_fails() {
        Run run = Run.tally();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("Usage: tally", "explain");
    }

    @Test
    void a_misspelt_command_gets_a_suggestion() {
        Run run = Run.tally("explian", "001110000000001");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("tally: ").contains("explian", "tally explain", "Try 'tally --help'.");
    }

    @Test
    void an_argument_that_begins_with_an_at_sign_is_not_a_file_to_read() {
        Run run = Run.tally("explain", "@pom.xml");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("only the digits 0 to 9");
    }

    @Test
    void a_terminal_never_sees_control_characters_from_the_command_line() {
        Run run = Run.tally("explain", "--\u001b[31mred\u0007");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).doesNotContain("\u001b").doesNotContain("\u0007");
    }

    @Test
    void an_unexpected_exception_is_one_short_message() {
        Run run = Run.tallyWith(new Breaks(), "break", Map.of(), "break");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isEqualTo("""
            tally break: internal error: java.lang.IllegalStateException: the wheel came off
            Run again with --debug for the stack trace.
            """);
    }

    @Test
    void the_stack_trace_and_the_cause_are_shown_on_request() {
        Run byOption = Run.tallyWith(new Breaks(), "break", Map.of(), "break", "--debug");
        Run byEnvironment = Run.tallyWith(new Breaks(), "break", Map.of("TALLY_DEBUG", "1"), "break");

        for (Run run : new Run[] {byOption, byEnvironment}) {
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("    at " + Breaks.class.getName(), "ArithmeticException: no axle");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_command_that_fails_in_an_expected_way_says_so_and_sets_the_exit_code(ExitCode exitCode) {
        Run run = Run.tallyWith(new Refuses(exitCode), "refuse", Map.of("TALLY_DEBUG", "1"), "refuse");

        assertThat(run.exitCode()).isEqualTo(exitCode.code());
        assertThat(run.err()).isEqualTo("tally refuse: why\nwhat to do\n");
    }

    @Test
    void the_exit_codes_are_those_that_scripts_rely_on() {
        assertThat(ExitCode.values()).extracting(ExitCode::code).containsExactly(0, 1, 2, 3, 4, 5, 6);
    }

    @Command
    private static final class Breaks extends TallyCommand {

        @Override
        public ExitCode run() {
            throw new IllegalStateException("the wheel came off", new ArithmeticException("no axle"));
        }
    }

    @Command
    private static final class Refuses extends TallyCommand {

        private final ExitCode exitCode;

        Refuses(ExitCode exitCode) {
            this.exitCode = exitCode;
        }

        @Override
        public ExitCode run() {
            throw new CommandFailed(exitCode, "why", "what to do");
        }
    }
}
