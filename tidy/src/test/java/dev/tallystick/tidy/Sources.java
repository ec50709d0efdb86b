package dev.tallystick.tidy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of the project as a reader of the repository sees them. */
final class Sources {

    static final Path ROOT = Path.of(System.getProperty("tally.root"));

    static List<Path> javaFiles() throws IOException {
        return files(".java");
    }

    static List<Path> files(String ending) throws IOException {
        try (Stream<Path> all = Files.walk(ROOT)) {
            return all.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> !isHiddenOrBuilt(ROOT.relativize(file)))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    private static boolean isHiddenOrBuilt(Path relative) {
        for (Path part : relative) {
            String name = part.toString();
            if (name.equals("target") || name.equals(".git") || name.equals(".tally")) {
                return true;
            }
        }
        return false;
    }

    private Sources() {}
}
