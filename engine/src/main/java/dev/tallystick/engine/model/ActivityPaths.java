package dev.tallystick.engine.model;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The places of activities in their body; paths begin with them. */
public final class ActivityPaths {

    /** The start of an activity's path, relative to its body or branch. */
    private static final Pattern PLACE = Pattern.compile("(\\d+)(?=\\.|$)");

    /** A patch marker has its id after the number. */
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    /** Whether one of the paths is further along in the body or branch whose places begin with {@code prefix}. */
    public static boolean areBeyond(Set<String> paths, String prefix, int place) {
        return paths.stream()
                .filter(path -> path.startsWith(prefix))
                .map(path -> PLACE.matcher(path.substring(prefix.length())))
                .anyMatch(next -> next.lookingAt() && Integer.parseInt(next.group(1)) > place);
    }

    /**
     * Whether the second activity comes after the first in program order. Paths alternate between places and branches: two
     * paths that diverge at a place run one after the other, and two that diverge at a branch run in parallel.
     */
    public static boolean isBehind(String first, String second) {
        String[] one = first.split("\\.");
        String[] two = second.split("\\.");
        for (int i = 0; i < Math.min(one.length, two.length); i++) {
            if (!one[i].equals(two[i])) {
                return i % 2 == 0 && number(two[i]) > number(one[i]);
            }
        }
        return false;
    }

    private static int number(String part) {
        Matcher number = NUMBER.matcher(part);
        return number.lookingAt() ? Integer.parseInt(number.group()) : 0;
    }

    private ActivityPaths() {}
}
