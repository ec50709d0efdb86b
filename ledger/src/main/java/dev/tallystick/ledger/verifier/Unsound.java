package dev.tallystick.ledger.verifier;

/** Something could not be read as what it must be. Becomes a {@link Finding} where the reader knows where it was. */
final class Unsound extends Exception {

    private final String detail;

    Unsound(String detail) {
        super(detail);
        this.detail = detail;
    }

    /** Why something could not be read, for people. */
    static String reason(Throwable failure) {
        return switch (failure) {
            case StackOverflowError tooDeep -> "it is nested too deep";
            case OutOfMemoryError tooLarge -> "it takes more memory than there is";
            default -> failure.toString();
        };
    }

    String detail() {
        return detail;
    }
}
