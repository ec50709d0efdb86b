package dev.tallystick.cli.command;

/** A command that only holds others, such as {@code tally job}. */
public abstract class CommandGroup extends TallyCommand {

    @Override
    public final ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "missing subcommand", "Try '" + fullName() + " --help'.");
    }
}
