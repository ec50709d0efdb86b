package dev.tallystick.ledger.verifier;

/** Something could not be read as what it must be. Becomes a {@link Finding} where the reader knows where it was. */
final class Unsound extends Exception {

    private final String detail;

    Unsound(String detail) {
        super(detail);
        this.detail = detail;
    }

    String detail() {
        return detail;
    }
}
