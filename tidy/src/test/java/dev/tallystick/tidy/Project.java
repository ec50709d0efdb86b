package dev.tallystick.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The repository as its reader sees it: what is built, and what tools leave behind, is not there.
 *
 * @param files the text files
 * @param paths every file and folder, text or not, relative to the root
 */
record Project(List<SourceFile> files, Set<String> paths) {

    static final Path ROOT = Path.of(System.getProperty("tally.root"));

    private static final Set<String> SKIPPED =
            Set.of(".git", ".idea", ".settings", ".tally", ".vscode", "node_modules", "target");

    // A name without an ending is a script or a licence; a name that is all ending (.gitignore) is a tool's settings.
    private static final Pattern TEXT = Pattern.compile(
            "[^.]+|\\.[a-z]+|.*\\.(config|css|html|java|js|json|md|properties|proto|sh|sql|toml|txt|xml|ya?ml)");

    /** A project of nothing but these files. */
    static Project of(List<SourceFile> files) {
        Set<String> paths = new TreeSet<>();
        for (SourceFile file : files) {
            for (Path path = Path.of(file.path()); path != null; path = path.getParent()) {
                paths.add(path.toString());
            }
        }
        return new Project(files, paths);
    }

    static Project load() {
        List<SourceFile> files = new ArrayList<>();
        Set<String> paths = new TreeSet<>();
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    paths.add(relative(folder));
                    return SKIPPED.contains(String.valueOf(folder.getFileName()))
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    paths.add(relative(file));
                    String name = String.valueOf(file.getFileName());
                    if (attributes.isRegularFile()
                            && !SKIPPED.contains(name)
                            && TEXT.matcher(name).matches()) {
                        files.add(new SourceFile(relative(file), Files.readString(file)));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        files.sort(Comparator.comparing(SourceFile::path));
        return new Project(files, paths);
    }

    Stream<SourceFile> javaFiles() {
        return files.stream().filter(SourceFile::isJava);
    }

    Stream<SourceFile> markdownFiles() {
        return files.stream().filter(SourceFile::isMarkdown);
    }

    Optional<SourceFile> file(String path) {
        return files.stream().filter(file -> file.path().equals(path)).findFirst();
    }

    private static String relative(Path path) {
        return ROOT.relativize(path).toString().replace('\\', '/');
    }
}
