package dev.tallystick.tidy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The rules about the papers: decisions are numbered and listed, links lead somewhere, the changelog is kept. */
final class PaperRules {

    private static final String DECISIONS = "docs/adr/";

    static List<Rule> all() {
        return List.of(decisionsAreNumberedAndTitled(), decisionsAreListed(), changelogIsOpen(), linksLeadSomewhere());
    }

    private static Rule decisionsAreNumberedAndTitled() {
        return Rule.ofProject("a decision has a number of its own and says it in its title", project -> {
                    Map<String, String> seen = new HashMap<>();
                    List<Offence> offences = new ArrayList<>();
                    for (SourceFile decision : decisions(project)) {
                        if (!decision.name().matches("\\d{4}-[a-z0-9-]+\\.md")) {
                            offences.add(new Offence(decision, 1, "wants a name such as 0001-short-title.md"));
                            continue;
                        }
                        String number = decision.name().substring(0, 4);
                        String title = "# " + Integer.parseInt(number) + ". ";
                        if (!decision.text().startsWith(title)) {
                            offences.add(new Offence(decision, 1, "wants a title that begins with '" + title + "'"));
                        }
                        String other = seen.putIfAbsent(number, decision.path());
                        if (other != null) {
                            offences.add(new Offence(decision, 1, "has the number of " + other));
                        }
                    }
                    return offences.stream();
                })
                .catches(DECISIONS + "modules.md", "# Modules\n")
                .catches(DECISIONS + "0001-modules.md", "# Modules\n")
                .allows(DECISIONS + "0001-modules.md", "# 1. Modules\n");
    }

    private static Rule decisionsAreListed() {
        return Rule.ofProject("every decision is in the list of decisions", project -> {
                    String list = project.file(DECISIONS + "README.md")
                            .map(SourceFile::text)
                            .orElse("");
                    return decisions(project).stream()
                            .filter(decision -> !list.contains("](" + decision.name() + ")"))
                            .map(decision -> new Offence(decision, 1, "is not in " + DECISIONS + "README.md"));
                })
                .catches(DECISIONS + "0001-modules.md", "# 1. Modules\n")
                .allows(DECISIONS + "README.md", "No decisions yet.\n");
    }

    private static Rule changelogIsOpen() {
        return Rule.ofProject(
                        "the changelog has an Unreleased section",
                        project -> project.file("CHANGELOG.md")
                                        .filter(file -> file.lines().contains("## [Unreleased]"))
                                        .isPresent()
                                ? Stream.of()
                                : Stream.of(new Offence("CHANGELOG.md", 1, "wants '## [Unreleased]'")))
                .catches("CHANGELOG.md", "# Changelog\n\n## [0.1.0]\n")
                .catches("README.md", "No changelog at all.\n")
                .allows("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n");
    }

    private static final Pattern LINK = Pattern.compile("\\]\\((?!\\w+:)([^)#\\s]*)(?:#([^)\\s]*))?\\)");

    private static Rule linksLeadSomewhere() {
        return Rule.ofProject(
                        "relative links lead somewhere",
                        project -> project.markdownFiles().flatMap(file -> deadLinks(project, file)))
                .catches("README.md", "See [there](docs/missing.md).\n")
                .catches("README.md", "# Title\n\nSee [there](#no-such-heading).\n")
                .catches("docs/guide.md", "See [there](../../outside.md).\n")
                .allows(
                        "docs/guide.md",
                        "# The `guide`, in short\n\n[itself](guide.md#the-guide-in-short) [up](../docs)\n")
                .allows("README.md", "[elsewhere](https://example.org/page.md) and `[code](nowhere.md)`\n");
    }

    private static Stream<Offence> deadLinks(Project project, SourceFile file) {
        List<Offence> dead = new ArrayList<>();
        Markdown markdown = Markdown.of(file);
        for (Markdown.Line line : markdown.prose()) {
            Matcher link = LINK.matcher(line.text().replaceAll("`[^`]*`", ""));
            while (link.find()) {
                String target = link.group(1).isEmpty()
                        ? file.path()
                        : Path.of(file.folder())
                                .resolve(link.group(1))
                                .normalize()
                                .toString();
                String heading = link.group(2);
                boolean leads = project.paths().contains(target)
                        && (heading == null
                                || project.file(target)
                                        .filter(other -> anchors(other).contains(heading))
                                        .isPresent());
                if (!leads) {
                    dead.add(new Offence(file, line.number(), link.group()));
                }
            }
        }
        return dead.stream();
    }

    /** The names under which a hosting site offers the headings of a page. */
    private static List<String> anchors(SourceFile file) {
        return Markdown.of(file).prose().stream()
                .map(Markdown.Line::text)
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
                .map(title -> title.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
                .toList();
    }

    private static List<SourceFile> decisions(Project project) {
        return project.markdownFiles()
                .filter(file ->
                        file.path().startsWith(DECISIONS) && !file.name().equals("README.md"))
                .toList();
    }

    private PaperRules() {}
}
