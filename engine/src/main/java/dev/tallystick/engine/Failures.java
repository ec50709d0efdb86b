package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/** How failures are written down: what and why, in one line that fits. */
final class Failures {

    static final int MAX_LENGTH = 2_000;

    static String describe(Throwable failure) {
        @Nullable String message = failure.getMessage();
        String what = failure.getClass().getName();
        String text = message == null || message.isBlank() ? what : what + ": " + message;
        // Postgres keeps no NUL in a text.
        return shorten(text.replace('\0', ' ').strip());
    }

    static String shorten(String clean) {
        return clean.length() <= MAX_LENGTH ? clean : clean.substring(0, MAX_LENGTH - 1) + "…";
    }

    /** Whether its effect happened nobody can tell. */
    static String neverCameBack(int begun) {
        return "it was begun " + (begun == 1 ? "once" : begun + " times") + " and never came back";
    }

    private Failures() {}
}
