package dev.tallystick.cli.command;

import picocli.CommandLine.Command;

/** A command that only holds others, such as {@code tally job}. */
@Command(synopsisSubcommandLabel = "COMMAND", commandListHeading = "%nCommands:%n", footerHeading = "%nExamples:%n")
public abstract class CommandGroup extends TallyCommand {

    @Override
    public final ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "missing subcommand", "Try '" + fullName() + " --help'.");
    }
}
