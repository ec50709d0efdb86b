package dev.tallystick.cli;

/** What a script learns from a run of {@code tally}. The numbers are part of the public surface. */
enum ExitCode {
    OK(0),
    /** A fault of ours. */
    INTERNAL(1),
    /** The command line or the input is wrong; nothing was done. */
    USAGE(2),
    NOT_FOUND(3),
    /** What is there contradicts what was asked for. */
    CONFLICT(4),
    /**
     * It may have happened or not, or has not come to its end. Repeat with the same key: that is safe, and it settles the
     * matter. What issues a token has none, and says what to do instead.
     */
    UNKNOWN_OUTCOME(5);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
