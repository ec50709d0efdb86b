package dev.tallystick.ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Whole directories: copied, compared, removed. */
public final class Directories {

    private Directories() {}

    public static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    public static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** The files in which two directories differ. */
    public static List<String> differences(Path one, Path other) throws IOException {
        Set<String> names = new TreeSet<>(files(one));
        names.addAll(files(other));
        List<String> different = new ArrayList<>();
        for (String name : names) {
            Path left = one.resolve(name);
            Path right = other.resolve(name);
            if (!Files.exists(left) || !Files.exists(right)) {
                different.add(name + (Files.exists(left) ? " is in the first only" : " is in the second only"));
            } else if (Files.mismatch(left, right) >= 0) {
                different.add(name + " differs at byte " + Files.mismatch(left, right));
            }
        }
        return different;
    }

    private static List<String> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .toList();
        }
    }
}
