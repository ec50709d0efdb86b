package dev.tallystick.tidy;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The rules about text as such: how it is laid out, and what no file of the project says. */
final class TextRules {

    private static final int LONGEST_FILE = 440;

    private static final String PLANTED_MAIN = "core/src/main/java/dev/tallystick/core/Planted.java";
    private static final String PLANTED_TEST = "core/src/test/java/dev/tallystick/core/PlantedTest.java";
    private static final String THIS_FILE = "tidy/src/test/java/dev/tallystick/tidy/TextRules.java";
    private static final String QUOTES = "quotes what it forbids";

    static List<Rule> all() {
        return List.of(
                noTabs(),
                noTrailingSpace(),
                newlineAtTheEnd(),
                notTooLong(),
                plainEnglish(),
                nothingUnfinished(),
                noSleepInTests(),
                noPathOfOneMachine(),
                noRegistry(),
                speaksOfItselfAlone());
    }

    private static Rule noTabs() {
        return Rule.ofFiles("no tabs", TextRules::isLaidOut, file -> file.linesWith(Pattern.compile("\t")))
                .catches(PLANTED_MAIN, "\tint x;\n")
                .allows(PLANTED_MAIN, "    char c = '\\t';\n");
    }

    private static Rule noTrailingSpace() {
        return Rule.ofFiles(
                        "no white space at the end of a line",
                        TextRules::isLaidOut,
                        file -> file.placesWith(Pattern.compile("(?md)[ \\t\\r]+$")))
                .catches("README.md", "one \ntwo\n")
                .catches("pom.xml", "one\r\ntwo\r\n")
                .allows("README.md", "one\n\ntwo\n");
    }

    private static Rule newlineAtTheEnd() {
        return Rule.ofFiles("a file ends with one newline", TextRules::isLaidOut, file -> {
                    boolean good = file.text().isEmpty()
                            || (file.text().endsWith("\n") && !file.text().endsWith("\n\n"));
                    return good
                            ? Stream.of()
                            : Stream.of(new Offence(file, file.lines().size(), "end of the file"));
                })
                .catches("README.md", "one")
                .catches("README.md", "one\n\n")
                .allows("README.md", "one\n");
    }

    private static Rule notTooLong() {
        return Rule.ofFiles(
                        "a Java file has at most " + LONGEST_FILE + " lines below its imports",
                        SourceFile::isJava,
                        file -> {
                            long length = file.lines().stream()
                                    .dropWhile(line -> !isDeclaration(line))
                                    .count();
                            return length <= LONGEST_FILE
                                    ? Stream.of()
                                    : Stream.of(new Offence(file, file.lines().size(), length + " lines"));
                        })
                .catches(PLANTED_MAIN, "import a.B;\nclass C {\n" + "\n".repeat(LONGEST_FILE - 1) + "}\n")
                .allows(
                        PLANTED_MAIN,
                        "import a.B;\n".repeat(100) + "class C {\n" + "\n".repeat(LONGEST_FILE - 2) + "}\n");
    }

    private static boolean isDeclaration(String line) {
        return !line.isBlank() && !line.startsWith("package ") && !line.startsWith("import ");
    }

    /** Words by which a translated sentence is recognised: say who does what, in the active voice. */
    private static Rule plainEnglish() {
        Pattern markers = Pattern.compile("\\b([Ww]hoever|[Ss]omebody|[Nn]obody|[Aa]new|[Mm]end|what came of"
                + "|(is|are) told|of yours|(goes|go) on)\\b");
        return Rule.ofFiles(
                        "plain English: none of the words that mark a translated sentence",
                        file -> file.isJava() || file.path().endsWith(".md"),
                        file -> file.linesWith(markers))
                .except(THIS_FILE, QUOTES)
                .catches("docs/guide.md", "Whoever asks again is told the first answer.\n")
                .catches(PLANTED_MAIN, "// the job goes on\n")
                .allows(PLANTED_MAIN, "    BodyPublishers.noBody();\n");
    }

    private static Rule nothingUnfinished() {
        Pattern unfinished = Pattern.compile("\\b(TODO|FIXME|XXX)\\b|@(Disabled|Ignore)\\b");
        return Rule.ofFiles(
                        "nothing unfinished, nothing switched off", file -> true, file -> file.linesWith(unfinished))
                .except(THIS_FILE, QUOTES)
                .catches(PLANTED_MAIN, "// TODO later\n")
                .catches("docs/guide.md", "FIXME: explain\n")
                .catches(PLANTED_TEST, "    @Disabled(\"flaky\")\n")
                .allows("bin/planted.sh", "mktemp -d work.XXXXXX\n");
    }

    private static Rule noSleepInTests() {
        Pattern sleep = Pattern.compile("\\bThread\\.sleep\\(|\\bTimeUnit\\.\\w+\\.sleep\\(");
        return Rule.ofFiles(
                        "tests wait for a signal, they do not sleep",
                        SourceFile::isTestJava,
                        file -> file.linesWith(sleep))
                .except(THIS_FILE, QUOTES)
                .except("tidy/src/test/java/dev/tallystick/tidy/Ban.java", QUOTES)
                .catches(PLANTED_TEST, "        Thread.sleep(100);\n")
                .catches(PLANTED_TEST, "        TimeUnit.SECONDS.sleep(1);\n")
                .allows(PLANTED_TEST, "        clock.sleep(1);\n");
    }

    private static Rule noPathOfOneMachine() {
        Pattern path = Pattern.compile("(?<![\\w.~*/])(/(work|farm|root|home/\\w+|Users/\\w+)/|[A-Z]:\\\\\\w)");
        return Rule.ofFiles("no path of one machine", file -> true, file -> file.linesWith(path))
                .except(THIS_FILE, QUOTES)
                .catches("docs/guide.md", "Look into /root/.m2/settings.xml\n")
                .catches(PLANTED_TEST, "Path.of(\"/home/alice/tally\")\n")
                .catches("bin/planted.sh", "cd /Users/alice/tally\n")
                .allows("bin/planted.sh", "for jdk in /usr/lib/jvm/*; do\n")
                .allows("docs/guide.md", "the folder `src/root/` and the route `/v1/work/claim`\n");
    }

    private static Rule noRegistry() {
        Pattern host =
                Pattern.compile("(?i)\\b(repo\\d?\\.maven\\b|repo\\.\\w+\\.(org|com|io)\\b|\\w*\\.sonatype\\.\\w+"
                        + "|registry[.-]\\w+\\.\\w+|docker\\.io|ghcr\\.io|quay\\.io|gcr\\.io|jitpack\\.io|pypi\\.org"
                        + "|jcenter|artifactory|distributionUrl)");
        return Rule.ofFiles("no registry by its host name", file -> true, file -> file.linesWith(host))
                .except(THIS_FILE, QUOTES)
                .catches("pom.xml", "<url>https://repo1.maven.org/maven2</url>\n")
                .catches("docs/guide.md", "docker pull ghcr.io/example/image\n")
                .allows("pom.xml", "xmlns=\"http://maven.apache.org/POM/4.0.0\"\n");
    }

    // Words such as "session" and "agent" have honest uses (a database session, a user agent): only phrases that can
    // mean nothing but the making of the project are listed.
    private static Rule speaksOfItselfAlone() {
        Pattern making = Pattern.compile("(?i)\\bissues?\\s+#?\\d+\\b"
                + "|\\b(my|coding|working|development|earlier|previous) sessions?\\b"
                + "|\\b(ai|llm|coding|autonomous)[- ](agent|assistant|model)s?\\b"
                + "|\\bsub-?agents?\\b"
                + "|\\blanguage models?\\b"
                + "|\\bas an? (ai|assistant)\\b"
                + "|\\b(generated|written|assisted) (by|with) (an? )?(ai|llm|claude|chatgpt|copilot|codex)\\b"
                + "|\\bco-authored-by\\b"
                + "|\\bsystem prompt\\b"
                + "|\\b(the|my|this|your) (prompt|brief|task|assignment) (says|said|asks|asked|told|tells)\\b"
                + "|\\b(DESIGN|STYLE|DEPENDENCIES|BRIEF)(\\.md\\b| §)");
        return Rule.ofFiles("the project speaks of itself alone", file -> true, file -> file.placesWith(making))
                .except(THIS_FILE, QUOTES)
                .catches("CHANGELOG.md", "- Retries (issue #12)\n")
                .catches(PLANTED_MAIN, "// as issue 4 wants it\n")
                .catches("docs/guide.md", "Found in an earlier session.\n")
                .catches(PLANTED_MAIN, "// the coding agent left this\n")
                .catches(PLANTED_MAIN, "// because the task says so\n")
                .catches(PLANTED_MAIN, "/** See DESIGN.md. */\n")
                .allows(
                        PLANTED_MAIN,
                        "/** A consistency issue of the database session; the User-Agent; a shell prompt. */\n")
                .allows(PLANTED_MAIN, "/** The task is claimed, the agent answers promptly, 3 issues. */\n");
    }

    // Test data is what it is: a golden file may have to end without a newline.
    private static boolean isLaidOut(SourceFile file) {
        return !file.isTestData();
    }

    private TextRules() {}
}
