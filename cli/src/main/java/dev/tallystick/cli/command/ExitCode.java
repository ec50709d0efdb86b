package dev.tallystick.cli.command;

/** The exit codes of {@code tally}. The numbers are part of the public API. */
public enum ExitCode {
    OK(0),
    /** An internal error. */
    INTERNAL(1),
    /** The command line or the input is wrong; nothing was done. */
    USAGE(2),
    NOT_FOUND(3),
    /** The request conflicts with the current state. */
    CONFLICT(4),
    /**
     * The outcome is unknown, or there is none yet. Repeat with the same key: that is safe and gives the outcome. Commands
     * that issue a token take no key; they say what to do instead.
     */
    UNKNOWN_OUTCOME(5),
    /** The server or the daemon could not be reached, or was too busy. Nothing was done; try again later. */
    UNAVAILABLE(6);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
