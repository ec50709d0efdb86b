package dev.tallystick.ledger.verifier.git;

import dev.tallystick.ledger.verifier.Finding;

/** Something could not be read as what it must be. Becomes a {@link Finding} where the reader knows where it was. */
public final class Unsound extends Exception {

    private final String detail;

    public Unsound(String detail) {
        super(detail);
        this.detail = detail;
    }

    /** Why something could not be read, for people. */
    public static String reason(Throwable failure) {
        return switch (failure) {
            case StackOverflowError tooDeep -> "it is nested too deep";
            case OutOfMemoryError tooLarge -> "it takes more memory than there is";
            default -> failure.toString();
        };
    }

    public String detail() {
        return detail;
    }
}
