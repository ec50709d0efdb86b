package dev.tallystick.tidy;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules about Java that do not need compiled classes: names, nulls, and where SQL is written. */
final class JavaRules {

    private static final String PACKAGE = "core/src/main/java/dev/tallystick/core/";
    private static final String PLANTED = PACKAGE + "Planted.java";

    static List<Rule> all() {
        return List.of(
                typesAreNamedForWhatTheyDo(),
                noGetPrefix(),
                optionalIsReturnedOnly(),
                sqlIsInStores(),
                packagesIntroduceThemselves());
    }

    private static Rule typesAreNamedForWhatTheyDo() {
        Pattern vague = Pattern.compile(".*(Utils?|Helpers?|Manager|Impl|Common)");
        return Rule.ofFiles(
                        "a type is named for the one thing it does",
                        SourceFile::isJava,
                        file -> JavaSyntax.of(file).types().stream()
                                .filter(type -> vague.matcher(type.name()).matches())
                                .map(type -> new Offence(file, type.line(), type.name())))
                .catches(PLANTED, "final class StringUtils {}\n")
                .catches(PLANTED, "class Outer { interface LockManager {} }\n")
                .catches(PLANTED, "record JobStoreImpl() {}\n")
                .allows(PLANTED, "/** No class StringUtils here. */ class Utility {}\n");
    }

    private static Rule noGetPrefix() {
        Pattern getter = Pattern.compile("get[A-Z0-9].*");
        return Rule.ofFiles(
                        "our public methods have no get prefix",
                        SourceFile::isMainJava,
                        file -> JavaSyntax.of(file).methods().stream()
                                .filter(JavaSyntax.Method::isPublic)
                                .filter(method -> !method.overrides())
                                .filter(method -> getter.matcher(method.name()).matches())
                                .map(method -> new Offence(file, method.line(), method.name())))
                .catches(PLANTED, "class A { public int getValue() { return 1; } }\n")
                .catches(PLANTED, "interface A { int getValue(); }\n")
                .allows(PLANTED, "class A implements B { @Override public int getValue() { return 1; } }\n")
                .allows(PLANTED, "class A { public int getaway() { return 1; } private int getIt() { return 1; } }\n");
    }

    private static Rule optionalIsReturnedOnly() {
        Pattern optional = Pattern.compile("(java\\.util\\.)?Optional(Int|Long|Double)?(<.*>)?");
        return Rule.ofFiles(
                        "Optional is what a method or a record answers, never a field or a parameter",
                        SourceFile::isMainJava,
                        file -> JavaSyntax.of(file).variables().stream()
                                .filter(variable ->
                                        optional.matcher(variable.type()).matches())
                                .map(variable -> new Offence(file, variable.line(), variable.name())))
                .catches(PLANTED, "class A { private final Optional<String> name = find(); }\n")
                .catches(PLANTED, "class A { void rename(Optional<String> name) {} }\n")
                .allows(PLANTED, "record A(Optional<String> name) { A { check(name); } }\n")
                .allows(PLANTED, "class A { Optional<String> name() { Optional<String> n = find(); return n; } }\n");
    }

    // A text block that begins with a word of SQL, or a string that continues as only SQL does: "update refused" and
    // "with care" are English.
    private static final Pattern SQL = Pattern.compile("(?is)\\s*("
            + String.join(
                    "|",
                    "(select|insert|update|delete|with|merge|create|alter|drop|truncate|lock|grant|revoke)\\b[^\n]*\n.*",
                    "select\\s.*",
                    "insert\\s+into\\s.*",
                    "update\\s+(only\\s+)?([\\w.\"]+(\\s+\\w+)?\\s+set\\s.*)?",
                    "delete\\s+from\\s.*",
                    "merge\\s+into\\s.*",
                    "with\\s+(recursive\\s+)?\\w+(\\s*\\(.*\\))?\\s+as\\s.*",
                    "(create|alter|drop)\\s+((unlogged|unique|or\\s+replace|temp|temporary)\\s+)*"
                            + "(table|schema|index|view|function|role|user|database|type|sequence|extension|trigger)\\b.*",
                    "truncate\\s+(table\\s+)?\\w+",
                    "lock\\s+table\\s.*",
                    "set\\s+(local|session)\\s.*")
            + ")");

    private static Rule sqlIsInStores() {
        Predicate<SourceFile> scope = file -> file.isMainJava() && !file.name().endsWith("Store.java");
        Function<SourceFile, Stream<Offence>> search = file -> JavaSyntax.of(file).texts().stream()
                .filter(text -> SQL.matcher(text.value()).matches())
                .map(text -> new Offence(
                        file,
                        text.line(),
                        text.value().strip().lines().findFirst().orElse("")));
        return Rule.ofFiles("SQL is written in *Store classes, migrations and tests", scope, search)
                .except("sql/src/main/java/dev/tallystick/sql/Wakeups.java", "rings through the server, not a table")
                .except("sql/src/main/java/dev/tallystick/sql/Dialect.java", "is where databases differ")
                .except("bench/src/", "measures statements as such")
                .catches(PLANTED, "class A { String sql = \"select id from job where id = ?\"; }\n")
                .catches(PLANTED, "class A { String sql = \"SELECT 1\"; }\n")
                .catches(PLANTED, "class A { String sql = \"insert into job values (?)\"; }\n")
                .catches(PLANTED, "class A { String sql = \"update job set a = 1\"; }\n")
                .catches(PLANTED, "class A { String sql = \"delete from \" + table; }\n")
                .catches(PLANTED, "class A { String sql = \"update \" + table + \" set a = 1\"; }\n")
                .catches(PLANTED, "class A { String sql = \"create unlogged table t (id int)\"; }\n")
                .catches(
                        PLANTED, "class A { String sql = \"\"\"\n        with due as (\n        )\n        \"\"\"; }\n")
                .catches(
                        PLANTED,
                        "class A { String sql = \"\"\"\n        update job\n        set a = 1\n        \"\"\"; }\n")
                .allows(PACKAGE + "PlantedStore.java", "class PlantedStore { String sql = \"select 1\"; }\n")
                .allows(
                        PLANTED,
                        "class A { String said = \"update refused: set a name\" + \"with care\" + \"delete\"; }\n");
    }

    private static Rule packagesIntroduceThemselves() {
        return Rule.ofProject("a package introduces itself and is null-marked", JavaRules::unmarkedPackages)
                .catches(PLANTED, "package dev.tallystick.core;\n")
                .catches(PACKAGE + "package-info.java", "package dev.tallystick.core;\n")
                .catches(PACKAGE + "package-info.java", "@NullMarked\npackage dev.tallystick.core;\n")
                .allows(PACKAGE + "package-info.java", "/** Values. */\n@NullMarked\npackage dev.tallystick.core;\n");
    }

    private static Stream<Offence> unmarkedPackages(Project project) {
        Set<String> folders = project.javaFiles()
                .filter(SourceFile::isMainJava)
                .map(SourceFile::folder)
                .collect(Collectors.toSet());
        return folders.stream()
                .map(folder -> folder + "/package-info.java")
                .filter(path -> project.file(path)
                        .filter(file ->
                                file.text().startsWith("/**") && file.text().contains("\n@NullMarked\n"))
                        .isEmpty())
                .map(path -> new Offence(path, 1, "wants a Javadoc comment and @NullMarked"));
    }

    private JavaRules() {}
}
