package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.LogLine;
import dev.tallystick.cli.command.RootCommand;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.cli.command.Version;
import dev.tallystick.cli.daemon.DaemonCommand;
import dev.tallystick.cli.daemon.InboxCommand;
import dev.tallystick.cli.daemon.OutboxCommand;
import dev.tallystick.cli.ledger.LedgerCommand;
import dev.tallystick.cli.seal.BackupCommand;
import dev.tallystick.cli.seal.LogCommand;
import dev.tallystick.cli.seal.RestoreCommand;
import dev.tallystick.cli.seal.VerifyCommand;
import dev.tallystick.cli.seal.WitnessCommand;
import dev.tallystick.core.Json;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point of the {@code tally} command. To add a command, write a class and list it below. */
@Command(
        name = "tally",
        description = "Runs every job once, and can prove it.",
        subcommands = {
            Demo.class,
            ServerCommand.class,
            SchemaCommand.class,
            SubmitCommand.class,
            SendCommand.class,
            JobCommand.class,
            DeadLetterCommand.class,
            ScheduleCommand.class,
            TaskCommand.class,
            WorkflowCommand.class,
            MeshCommand.class,
            MemberCommand.class,
            TopicCommand.class,
            DeviceCommand.class,
            KeyCommand.class,
            DaemonCommand.class,
            OutboxCommand.class,
            InboxCommand.class,
            OrphansCommand.class,
            ExchangeCommand.class,
            Explain.class,
            LedgerCommand.class,
            LogCommand.class,
            WitnessCommand.class,
            VerifyCommand.class,
            BackupCommand.class,
            RestoreCommand.class
        },
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        optionListHeading = "%nOptions, before or after the command:%n",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally demo",
            "  tally explain 001110000000001",
            "  tally explain --guid 000110000000001 --json",
            "",
            "Exit codes: 0 done, 1 internal error, 2 wrong usage or input, 3 not found,",
            "4 conflict, 5 outcome unknown or not known yet (repeat with the same key),",
            "6 server or daemon unavailable (nothing was done; try again later).",
        })
public final class Tally implements RootCommand, Callable<Integer> {

    private final Map<String, String> environment;

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "Answer in JSON.")
    private boolean json;

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Show stack traces of internal errors, like TALLY_DEBUG=1.")
    private boolean debug;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help, or that of a command.")
    @SuppressWarnings("UnusedVariable") // picocli acts on it
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // picocli acts on it
    private boolean version;

    private Tally(Map<String, String> environment) {
        this.environment = environment;
    }

    public static void main(String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
        PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
        System.exit(run(out, err, System.getenv(), arguments));
    }

    /** Runs the command once and returns the exit code of the process. */
    public static int run(PrintWriter out, PrintWriter err, Map<String, String> environment, String... arguments) {
        return commandLine(out, err, environment).execute(arguments);
    }

    public static CommandLine commandLine(PrintWriter out, PrintWriter err, Map<String, String> environment) {
        Tally tally = new Tally(environment);
        CommandLine line = new CommandLine(tally);
        Examples.passOn(line);
        HelpText.apply(line);
        return line.setOut(out)
                .setErr(err)
                // An argument that begins with @ is plain data, not a file to read arguments from.
                .setExpandAtFiles(false)
                .setExecutionStrategy(tally::execute)
                .setParameterExceptionHandler((e, arguments) -> tally.complain(e))
                .setExecutionExceptionHandler((e, failed, parsed) -> tally.report(e, failed));
    }

    /** Without a command, print the help. */
    @Override
    public Integer call() {
        CommandLine line = spec.commandLine();
        line.usage(line.getErr());
        return ExitCode.USAGE.code();
    }

    @Override
    public Map<String, String> environment() {
        return environment;
    }

    @Override
    public boolean wantsJson() {
        return json;
    }

    private int execute(ParseResult parsed) {
        if (parsed.isVersionHelpRequested()) {
            SequencedMap<String, Json> fields = new LinkedHashMap<>(Map.of("version", Json.of(Version.current())));
            spec.commandLine().getOut().println(json ? TallyCommand.object(fields) : "tally " + Version.current());
            return ExitCode.OK.code();
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private int complain(ParameterException e) {
        PrintWriter err = spec.commandLine().getErr();
        String name = e.getCommandLine().getCommandSpec().qualifiedName();
        err.println(name + ": " + visible(e.getMessage()));
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println("Try '" + name + " --help'.");
        return ExitCode.USAGE.code();
    }

    private int report(Exception thrown, CommandLine line) {
        PrintWriter err = spec.commandLine().getErr();
        String name = line.getCommandSpec().qualifiedName();
        Exception e = LedgerCommand.explained(thrown);
        if (e instanceof CommandFailed failed) {
            err.println(name + ": " + visible(failed.getMessage()));
            return failed.exitCode().code();
        }
        err.println(name + ": internal error: " + visible(e.toString()));
        if (debug || !environment.getOrDefault("TALLY_DEBUG", "").isEmpty()) {
            trace(e, err);
        } else {
            err.println("Run again with --debug for the stack trace.");
        }
        return ExitCode.INTERNAL.code();
    }

    private static void trace(Throwable thrown, PrintWriter err) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            err.println(visible(cause.toString()));
            for (StackTraceElement frame : cause.getStackTrace()) {
                err.println("    at " + frame);
            }
        }
    }

    /** Messages quote arguments: strip control characters, which a terminal would obey, and secrets. */
    private static String visible(@Nullable String message) {
        return LogLine.withoutSecrets(String.valueOf(message)).replaceAll("[\\p{Cntrl}&&[^\n]]", "?");
    }
}
