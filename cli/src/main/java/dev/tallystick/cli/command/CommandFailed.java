package dev.tallystick.cli.command;

/** A command failed. The message is for the user: the reason, and on the next line what to do. */
public final class CommandFailed extends RuntimeException {

    private final ExitCode exitCode;

    public CommandFailed(ExitCode exitCode, String why, String whatToDo) {
        super(why + "\n" + whatToDo);
        this.exitCode = exitCode;
    }

    public ExitCode exitCode() {
        return exitCode;
    }
}
