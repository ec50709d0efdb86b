package dev.tallystick.tidy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * One house rule over the text of the project.
 *
 * @param says the rule as one says it
 * @param search what finds the places that break it
 * @param exceptions where it does not hold (a file, or a folder with a closing slash), and why not
 * @param planted files that break it: a rule that does not find these has gone blind
 * @param innocent files that look like it and do not break it: a rule that finds these cries wolf
 */
record Rule(
        String says,
        Function<Project, Stream<Offence>> search,
        Map<String, String> exceptions,
        List<SourceFile> planted,
        List<SourceFile> innocent) {

    /** A rule about each file alone. */
    static Rule ofFiles(String says, Predicate<SourceFile> scope, Function<SourceFile, Stream<Offence>> search) {
        return ofProject(says, project -> project.files().stream().filter(scope).flatMap(search));
    }

    /** A rule about how the files of the project fit together. */
    static Rule ofProject(String says, Function<Project, Stream<Offence>> search) {
        return new Rule(says, search, Map.of(), List.of(), List.of());
    }

    /** The same rule, which does not hold for this file or folder. */
    Rule except(String path, String because) {
        Map<String, String> more = new TreeMap<>(exceptions);
        more.put(path, because);
        return new Rule(says, search, more, planted, innocent);
    }

    /** The same rule, which must find an offence in this file, taken by itself. */
    Rule catches(String path, String text) {
        return new Rule(says, search, exceptions, with(planted, path, text), innocent);
    }

    /** The same rule, which must find nothing in this file, taken by itself. */
    Rule allows(String path, String text) {
        return new Rule(says, search, exceptions, planted, with(innocent, path, text));
    }

    List<Offence> offences(Project project) {
        return search.apply(project)
                .filter(offence -> exceptions.keySet().stream().noneMatch(path -> covers(path, offence)))
                .toList();
    }

    /** Exceptions for files that would pass without one. */
    List<String> needlessExceptions(Project project) {
        List<Offence> all = search.apply(project).toList();
        return exceptions.keySet().stream()
                .filter(path -> project.paths().contains(path.replaceFirst("/$", "")))
                .filter(path -> all.stream().noneMatch(offence -> covers(path, offence)))
                .toList();
    }

    private static boolean covers(String path, Offence offence) {
        return path.endsWith("/")
                ? offence.path().startsWith(path)
                : offence.path().equals(path);
    }

    private static List<SourceFile> with(List<SourceFile> files, String path, String text) {
        return Stream.concat(files.stream(), Stream.of(new SourceFile(path, text)))
                .toList();
    }

    @Override
    public String toString() {
        return says;
    }
}
