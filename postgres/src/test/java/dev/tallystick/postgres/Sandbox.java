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

/** A directory for one test, the child JVMs that work in it, and the certainty that nothing of either is left afterwards. */
final class Sandbox implements AutoCloseable {

    private final Path root;
    private final List<Child> children = new ArrayList<>();

    Sandbox() throws IOException {
        root = Files.createTempDirectory("tally-postgres-test-").toRealPath();
    }

    Path root() {
        return root;
    }

    /** Where the test's server lives; not there yet. */
    Path directory() {
        return root.resolve("pg");
    }

    /** The same, with a cluster in it that was used and closed before. A copy: making one takes longer than most tests. */
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

    /** Made when first wanted, deleted with the JVM. */
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

        /** The next line, or the whole truth if there is none. */
        String line() throws IOException {
            String line = lines.readLine();
            if (line == null) {
                throw new AssertionError(
                        "the child ended with " + process.onExit().join().exitValue());
            }
            return line;
        }

        /** What it printed and we have not read, to the last line before its death. */
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
            // By its handle: the process object would close the pipe too, with lines in it that we have yet to read.
            process.toHandle().destroyForcibly();
            process.onExit().join();
        }
    }
}
