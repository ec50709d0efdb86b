package dev.tallystick.core.api;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** Parses times such as {@code 2030-01-31T12:00:00.5Z}: in the usual form much faster than the JDK, which has to know all forms. */
final class Timestamps {

    private static final String SHAPE = "dddd-dd-ddTdd:dd:dd";
    private static final int MOST_DIGITS = 9;

    private Timestamps() {}

    /** @throws DateTimeException if it is no time in UTC */
    static Instant parse(String text) {
        int fraction = text.length() - SHAPE.length() - 2;
        if (!hasShape(text) || fraction > MOST_DIGITS || text.charAt(text.length() - 1) != 'Z') {
            return Instant.parse(text);
        }
        int nanos = 0;
        if (fraction >= 0) {
            if (fraction == 0 || text.charAt(SHAPE.length()) != '.') {
                return Instant.parse(text);
            }
            for (int i = 0; i < MOST_DIGITS; i++) {
                char digit = i < fraction ? text.charAt(SHAPE.length() + 1 + i) : '0';
                if (!isDigit(digit)) {
                    return Instant.parse(text);
                }
                nanos = 10 * nanos + digit - '0';
            }
        }
        int hour = number(text, 11, 13);
        int second = number(text, 17, 19);
        if (hour > 23 || second > 59) {
            return Instant.parse(text);
        }
        return LocalDateTime.of(
                        number(text, 0, 4),
                        number(text, 5, 7),
                        number(text, 8, 10),
                        hour,
                        number(text, 14, 16),
                        second,
                        nanos)
                .toInstant(ZoneOffset.UTC);
    }

    private static boolean hasShape(String text) {
        if (text.length() <= SHAPE.length()) {
            return false;
        }
        for (int i = 0; i < SHAPE.length(); i++) {
            char wanted = SHAPE.charAt(i);
            if (wanted == 'd' ? !isDigit(text.charAt(i)) : text.charAt(i) != wanted) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int number(String text, int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            number = 10 * number + text.charAt(i) - '0';
        }
        return number;
    }
}
