package dev.tallystick.broker.member;

import java.util.regex.Pattern;

/**
 * A machine, as a device describes it: a SHA-256 of whatever distinguishes the machine, which only the device knows.
 *
 * @param hex 64 lower-case digits
 */
public record HostFingerprint(String hex) {

    private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{64}");

    public HostFingerprint {
        if (!DIGITS.matcher(hex).matches()) {
            throw new IllegalArgumentException("a host's fingerprint is a SHA-256: 64 lower-case hex digits");
        }
    }
}
