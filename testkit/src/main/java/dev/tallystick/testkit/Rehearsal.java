package dev.tallystick.testkit;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** Archives the classes that a child loads, so that later children start faster. */
final class Rehearsal {

    /** Since this release an archive contains linked classes, which saves another third of the start. */
    private static final boolean LINKS = Runtime.version().feature() >= 25;

    private static final String WRITE = LINKS ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=";
    private static final String READ = LINKS ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=";

    static ChildJvm.Plan of(ChildJvm.Plan plan, Path directory, String... arguments) {
        // The JVM's warnings about classes that it leaves out are of no use to a test.
        ChildJvm.Plan packed = new ChildJvm.Plan(
                        plan.mainClass(), plan.jvmArguments(), packed(plan.classPath(), directory))
                .with("-Xlog:disable")
                .with("-Xlog:all=error");
        Path archive = directory.resolve("classes.archive");
        try (ChildJvm child = packed.with(WRITE + archive).start(arguments)) {
            if (child.awaitExit() != 0 || Files.notExists(archive)) {
                throw new IllegalStateException("the rehearsal failed: " + String.join("\n  ", child.lines()));
            }
        }
        return packed.with(READ + archive);
    }

    /** The same class path with each directory replaced by a jar, because directories cannot be archived. */
    private static String packed(String classPath, Path directory) {
        List<String> parts = new ArrayList<>();
        for (String part : classPath.split(File.pathSeparator, -1)) {
            Path packed = directory.resolve("classes-" + parts.size() + ".jar");
            parts.add(
                    Files.isDirectory(Path.of(part))
                            ? jar(Path.of(part), packed).toString()
                            : part);
        }
        return String.join(File.pathSeparator, parts);
    }

    private static Path jar(Path classes, Path jar) {
        try (Stream<Path> files = Files.walk(classes);
                OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(each).toString().replace(File.separatorChar, '/')));
                Files.copy(each, out);
                out.closeEntry();
            }
            return jar;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Rehearsal() {}
}
