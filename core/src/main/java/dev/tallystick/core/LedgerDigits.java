package dev.tallystick.core;

import java.util.List;
import java.util.Locale;

/** Checks, parses and formats the 15 digits of both ledgers. */
final class LedgerDigits {

    private static final String NEVER_NEGATIVE = "a ledger must not be negative";

    static void check(long value, List<Digit> digits) {
        if (value < 0) {
            throw new IllegalArgumentException(NEVER_NEGATIVE + ", got " + value);
        }
        if (value > Digit.CEILING) {
            throw new IllegalArgumentException("a ledger must have 15 digits, got " + value);
        }
        for (Digit digit : digits) {
            if (digit.of(value) > digit.maximum()) {
                throw new IllegalArgumentException(
                        complaint(digit) + ", got " + digit.of(value) + " in " + show(value));
            }
        }
    }

    static String show(long value) {
        String decimal = Long.toString(value);
        return "0".repeat(Digit.COUNT - decimal.length()) + decimal;
    }

    static long parse(String text) {
        if (text.startsWith("-")) {
            throw new IllegalArgumentException(NEVER_NEGATIVE);
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                throw new IllegalArgumentException(
                        "a ledger must contain only the digits 0 to 9; character " + (i + 1) + " is not a digit");
            }
        }
        if (text.length() != Digit.COUNT) {
            throw new IllegalArgumentException("a ledger must have 15 digits, got " + text.length());
        }
        return Long.parseLong(text);
    }

    private static String complaint(Digit digit) {
        if (digit == Digit.RESERVED) {
            return "digits 1 to 3 are reserved and must be 0";
        }
        String name = digit.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return "digit " + digit.first() + " (" + name + ") is a flag and must be 0 or 1";
    }

    private LedgerDigits() {}
}
