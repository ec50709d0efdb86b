package dev.tallystick.tidy;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A text file of the repository. The path is relative to the root and has {@code /} between its parts. */
record SourceFile(String path, String text) {

    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The path of the folder, empty for a file in the root. */
    String folder() {
        return path.contains("/") ? path.substring(0, path.lastIndexOf('/')) : "";
    }

    boolean isJava() {
        return path.endsWith(".java");
    }

    boolean isMarkdown() {
        return path.endsWith(".md");
    }

    boolean isMainJava() {
        return isJava() && path.contains("/src/main/");
    }

    boolean isTestJava() {
        return isJava() && path.contains("/src/test/");
    }

    boolean isTestData() {
        return path.contains("/src/test/resources/");
    }

    List<String> lines() {
        return text.lines().toList();
    }

    /** An offence for each line in which the pattern is found. */
    Stream<Offence> linesWith(Pattern pattern) {
        List<String> lines = lines();
        return IntStream.range(0, lines.size())
                .filter(i -> pattern.matcher(lines.get(i)).find())
                .mapToObj(i -> new Offence(this, i + 1, lines.get(i).strip()));
    }

    /** An offence for each place, line breaks not minding, in which the pattern is found. */
    Stream<Offence> placesWith(Pattern pattern) {
        Matcher matcher = pattern.matcher(text);
        return matcher.results().map(found -> new Offence(this, lineAt(found.start()), found.group()));
    }

    private int lineAt(int offset) {
        return 1
                + (int) text.substring(0, offset).chars().filter(c -> c == '\n').count();
    }

    @Override
    public String toString() {
        return path;
    }
}
