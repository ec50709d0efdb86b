package dev.tallystick.broker.member;

import java.util.Arrays;
import java.util.Locale;

/** What to do if a device that was registered on one host registers with the same key on another. */
public enum IfCloned {
    /** Refuse it: one of the two must get its own key. */
    REFUSE,
    /** Let it pass. The device stays on its host, by which the other one sees that it is a copy. */
    WARN,
    /** Let it pass, and take the other host for the device's own from now on. */
    ALLOW;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static IfCloned parse(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("if_cloned must be refuse, warn or allow, not '" + word + "'"));
    }
}
