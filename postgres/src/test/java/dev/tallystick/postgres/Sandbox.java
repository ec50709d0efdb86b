package dev.tallystick.postgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A directory for one test and the child JVMs that work in it; nothing of either is left afterwards. */
final class Sandbox implements AutoCloseable {

    private final Path root;
    private final List<Child> children = new ArrayList<>();

    Sandbox() throws IOException {
        root = Files.createTempDirectory("tally-postgres-test-").toRealPath();
    }

    Path root() {
        return root;
    }

    /** The directory of the test's server; it does not exist yet. */
    Path directory() {
        return root.resolve("pg");
    }

    /** The same, with a cluster that was used and closed before. A copy, because creating one takes longer than most tests. */
    Path usedDirectory() throws IOException {
        Path original = Pristine.DIRECTORY;
        try (Stream<Path> all = Files.walk(original)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                Files.copy(
                        path,
                        directory().resolve(original.relativize(path).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return directory();
    }

    Layout layout() {
        return new Layout(directory());
    }

    Child child(Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Owner.class.getName()));
        Stream.of(arguments).map(Object::toString).forEach(command::add);
        Child child = new Child(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        children.add(child);
        return child;
    }

    @Override
    public void close() throws IOException {
        children.forEach(Child::kill);
        try (Stream<Path> all = Files.walk(root, 3)) {
            all.filter(path -> path.endsWith("data")).forEach(Server::endAll);
        }
        PrivateFiles.deleteTree(root);
    }

    /** Created on first use, deleted with the JVM. */
    private static final class Pristine {

        static final Path DIRECTORY = make();

        private static Path make() {
            try {
                Sandbox sandbox = new Sandbox();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    try {
                        sandbox.close();
                    } catch (IOException failure) {
                        throw new UncheckedIOException(failure);
                    }
                }));
                EmbeddedPostgres.at(sandbox.directory()).start().close();
                return sandbox.directory();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    record Child(Process process, BufferedReader lines) {

        Child(Process process) {
            this(process, process.inputReader());
        }

        long pid() {
            return process.pid();
        }

        /** The next line, or a failure with the full output if there is none. */
        String line() throws IOException {
            String line = lines.readLine();
            if (line == null) {
                throw new AssertionError(
                        "the child ended with " + process.onExit().join().exitValue());
            }
            return line;
        }

        /** Its output that we have not read yet, up to its death. */
        List<String> rest() {
            return lines.lines().toList();
        }

        int end() throws IOException {
            process.getOutputStream().close();
            return exitCode();
        }

        int exitCode() {
            return process.onExit().join().exitValue();
        }

        /** {@code kill -9} */
        void kill() {
            // By its handle: the process object would also close the pipe, with unread lines in it.
            process.toHandle().destroyForcibly();
            process.onExit().join();
        }
    }
}
