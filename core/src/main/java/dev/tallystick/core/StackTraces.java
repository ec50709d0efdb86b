package dev.tallystick.core;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Stack traces short enough to be stored: as the JDK prints them, with all causes, but bounded. */
public final class StackTraces {

    /** The maximum length of the result, in characters. */
    public static final int MAX_LENGTH = 16_000;

    private static final int MAX_CAUSES = 10;
    private static final int MAX_FRAMES = 40;
    private static final int MAX_HEADLINE = 2_000;

    public static String of(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Throwable next = failure;
        while (next != null && seen.size() < MAX_CAUSES && seen.add(next)) {
            text.append(seen.size() == 1 ? "" : "Caused by: ")
                    .append(cut(next.toString(), MAX_HEADLINE))
                    .append('\n');
            frames(next.getStackTrace(), text);
            next = next.getCause();
        }
        return fitting(text.toString());
    }

    /** Shortens a stack trace from elsewhere so that it can be stored. */
    public static String fitting(String text) {
        return cut(text.replace('\0', ' ').strip(), MAX_LENGTH);
    }

    private static void frames(StackTraceElement[] frames, StringBuilder text) {
        for (int i = 0; i < Math.min(frames.length, MAX_FRAMES); i++) {
            text.append("\tat ").append(frames[i]).append('\n');
        }
        if (frames.length > MAX_FRAMES) {
            text.append("\t... ").append(frames.length - MAX_FRAMES).append(" more\n");
        }
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }

    private StackTraces() {}
}
