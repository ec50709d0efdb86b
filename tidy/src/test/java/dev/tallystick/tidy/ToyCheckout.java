package dev.tallystick.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A checkout with the real launcher and nothing else real: its Maven writes down that it was called, its JDKs print what
 * they were told. Nothing of the machine's own JDKs can be found from within.
 */
final class ToyCheckout {

    /** What a run of the launcher came to. */
    record Run(long pid, int status, List<String> out, String err) {}

    private static final int LIMIT_SECONDS = 60;

    private static final List<String> TOOLS = List.of(
            "cat",
            "cp",
            "date",
            "dirname",
            "find",
            "flock",
            "grep",
            "mkdir",
            "mv",
            "ps",
            "readlink",
            "rm",
            "sed",
            "sh",
            "sleep",
            "tail");

    // Called in the checkout. Waits for the lock, and takes its jars from nowhere.
    private static final String MAVEN = """
        #!/bin/sh
        echo "$JAVA_HOME $*" >>maven.calls
        while [ -e hold ]; do sleep 0.05; done
        if [ -e broken ]; then echo 'the compiler says no'; exit 1; fi
        mkdir -p cli/target/lib
        echo cli >cli/target/tallystick-cli.jar
        echo core >cli/target/lib/tallystick-core-0.1.0-SNAPSHOT.jar
        """;

    private static final String JAVA = """
        #!/bin/sh
        for argument; do
            case $argument in -XX:ArchiveClassesAtExit=*) echo classes >"${argument#*=}"; exit 0 ;; esac
        done
        echo "home=${0%/bin/java}"
        echo "pid=$$"
        for argument; do echo "<$argument>"; done
        exit 42
        """;

    private final Path base;
    private final Path root;
    private final Map<String, String> environment = new HashMap<>();

    ToyCheckout(Path base) throws IOException {
        this.base = base;
        this.root = base.resolve("check out");
        environment.put("PATH", base.resolve("tools").toString());
        environment.put("HOME", base.resolve("home").toString());
        executable("tools/mvn", MAVEN);
        for (String tool : TOOLS) {
            Path real = Stream.of("/usr/bin", "/bin")
                    .map(folder -> Path.of(folder, tool))
                    .filter(Files::exists)
                    .findFirst()
                    .orElse(null);
            if (real != null) {
                link("tools/" + tool, real);
            }
        }
        executable("check out/tally", Files.readString(Project.ROOT.resolve("tally")));
        String launcher = Files.readString(Project.ROOT.resolve("bin/launch.sh"));
        write(
                "check out/bin/launch.sh",
                launcher.replace("/usr/lib/jvm", base.resolve("jvm").toString()));
        write("check out/pom.xml", "");
        write("check out/.mvn/maven.config", "");
        for (String module : List.of("core", "cli", "bench")) {
            write("check out/" + module + "/pom.xml", "");
            write("check out/" + module + "/src/main/java/First.java", "");
            write("check out/" + module + "/src/main/java/Second.java", "");
        }
    }

    Path root() {
        return root;
    }

    /** Puts a JDK of that version at a path below the base, and returns its home. */
    Path jdk(String path, String version) throws IOException {
        executable(path + "/bin/java", JAVA);
        executable(path + "/bin/javac", "");
        write(path + "/release", "IMPLEMENTOR=\"Unknown\"\nJAVA_VERSION=\"" + version + "\"\n");
        return base.resolve(path);
    }

    void set(String variable, Object value) {
        environment.put(variable, value.toString());
    }

    /** Changes or adds a file of the checkout. */
    void change(String path) throws IOException {
        makeNewer(write("check out/" + path, "changed"));
    }

    /** Takes a file of the checkout away. */
    void remove(String path) throws IOException {
        Path file = root.resolve(path);
        Files.delete(file);
        makeNewer(file.resolveSibling("."));
    }

    // File systems tell time in steps of some milliseconds, and a toy build may be quicker than a step.
    private static void makeNewer(Path path) throws IOException {
        Files.setLastModifiedTime(
                path, FileTime.from(Files.getLastModifiedTime(path).toInstant().plusSeconds(2)));
    }

    /** Writes a file below the base. */
    Path write(String path, String text) throws IOException {
        Path file = base.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    void executable(String path, String text) throws IOException {
        if (!write(path, text).toFile().setExecutable(true)) {
            throw new IOException("cannot make executable: " + path);
        }
    }

    void link(String path, Path target) throws IOException {
        Path file = base.resolve(path);
        Files.createDirectories(file.getParent());
        Files.createSymbolicLink(file, target);
    }

    void delete(String path) throws IOException {
        Files.deleteIfExists(base.resolve(path));
    }

    List<String> mavenCalls() throws IOException {
        Path calls = root.resolve("maven.calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    Run tally(String... arguments) throws IOException, InterruptedException {
        return await(start("check out/tally", arguments));
    }

    /** Starts a command below the base, from the base. */
    Process start(String command, String... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder();
        builder.command().add(base.resolve(command).toString());
        builder.command().addAll(List.of(arguments));
        builder.directory(base.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    static Run await(Process process) throws IOException, InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError("the launcher hangs");
        }
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        return new Run(process.pid(), process.exitValue(), out.lines().toList(), err);
    }
}
