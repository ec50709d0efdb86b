package dev.tallystick.cli;

/** A command failed. The message is for the user: the reason, and on the next line what to do. */
final class CommandFailed extends RuntimeException {

    private final ExitCode exitCode;

    CommandFailed(ExitCode exitCode, String why, String whatToDo) {
        super(why + "\n" + whatToDo);
        this.exitCode = exitCode;
    }

    ExitCode exitCode() {
        return exitCode;
    }
}
