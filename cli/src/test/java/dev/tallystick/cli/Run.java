package dev.tallystick.cli;

import dev.tallystick.cli.command.TallyCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import picocli.CommandLine;

/** One run of the command in this process: its output and exit code. */
public record Run(int exitCode, String out, String err) {

    public static Run tally(String... arguments) {
        return tally(Map.of(), arguments);
    }

    public static Run tally(Map<String, String> environment, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Tally.run(new PrintWriter(out, true), new PrintWriter(err, true), environment, arguments);
        return new Run(exitCode, out.toString(), err.toString());
    }

    /** Like {@link #tally}, with one more command. */
    public static Run tallyWith(
            TallyCommand command, String name, Map<String, String> environment, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Tally.commandLine(new PrintWriter(out, true), new PrintWriter(err, true), environment);
        int exitCode = line.addSubcommand(name, command).execute(arguments);
        return new Run(exitCode, out.toString(), err.toString());
    }
}
