package dev.tallystick.engine;

import java.util.Set;
import java.util.regex.Pattern;

/** The places that activities have in their body, by which their paths begin. */
final class Places {

    /** What the path of an activity begins with, seen from its body or branch. */
    private static final Pattern PLACE = Pattern.compile("(\\d+)(?=\\.|$)");

    /** Whether one of the paths is further on in the body or branch whose places begin with {@code prefix}. */
    static boolean areBeyond(Set<String> paths, String prefix, int place) {
        return paths.stream()
                .filter(path -> path.startsWith(prefix))
                .map(path -> PLACE.matcher(path.substring(prefix.length())))
                .anyMatch(next -> next.lookingAt() && Integer.parseInt(next.group(1)) > place);
    }

    private Places() {}
}
