package dev.tallystick.ledger.history;

import java.util.ArrayList;
import java.util.List;

/**
 * The path of a version (1, 2, 3 …) within its stream: the number of digits, each digit but the last, then the whole number.
 * Version 7 is {@code 1/7}, version 42 is {@code 2/4/42}, version 1234 is {@code 4/1/2/3/1234}.
 * No directory has more than ten entries, so an append to a long stream rewrites a few small trees; and the last entry of
 * each directory leads to the newest transaction.
 */
public final class VersionPath {

    /** Nine digits; a longer stream is refused rather than stored in another layout. */
    static final int MOST = 999_999_999;

    private VersionPath() {}

    public static List<String> of(int version) {
        if (version < 1 || version > MOST) {
            throw new IllegalArgumentException("a stream has versions 1 to " + MOST + ", not " + version);
        }
        String digits = Integer.toString(version);
        List<String> path = new ArrayList<>(digits.length() + 1);
        path.add(Integer.toString(digits.length()));
        for (int i = 0; i < digits.length() - 1; i++) {
            path.add(digits.substring(i, i + 1));
        }
        path.add(digits);
        return path;
    }
}
