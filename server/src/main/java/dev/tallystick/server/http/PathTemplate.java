package dev.tallystick.server.http;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A path with names in braces for its variable parts, as in {@code /v1/jobs/{id}/result}. Paths are compared as they were sent,
 * segment by segment; only the values of names are decoded. So there is one way to write each path, and dots, doubled slashes
 * or escapes do not match.
 */
record PathTemplate(String text, List<String> segments) {

    static PathTemplate of(String text) {
        return new PathTemplate(text, split(text));
    }

    static List<String> split(String path) {
        return Arrays.asList(path.substring(1).split("/", -1));
    }

    /** The values of the names, still encoded; empty if the path does not match. */
    Optional<SequencedMap<String, String>> match(List<String> path) {
        if (path.size() != segments.size()) {
            return Optional.empty();
        }
        SequencedMap<String, String> names = new LinkedHashMap<>();
        for (int i = 0; i < path.size(); i++) {
            String expected = segments.get(i);
            String sent = path.get(i);
            if (isName(expected)) {
                if (sent.isEmpty()) {
                    return Optional.empty();
                }
                names.put(expected.substring(1, expected.length() - 1), sent);
            } else if (!expected.equals(sent)) {
                return Optional.empty();
            }
        }
        return Optional.of(names);
    }

    List<String> names() {
        return segments.stream()
                .filter(PathTemplate::isName)
                .map(segment -> segment.substring(1, segment.length() - 1))
                .toList();
    }

    private static boolean isName(String segment) {
        return segment.startsWith("{");
    }
}
