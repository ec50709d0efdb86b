package dev.tallystick.cli;

/** A command cannot do what it was asked. The message is for the person who asked: why, and on the next line what to do. */
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
