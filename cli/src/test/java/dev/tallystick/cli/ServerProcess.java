package dev.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server with the samples, in a separate process. */
public final class ServerProcess implements AutoCloseable {

    private static final Pattern LISTENING = Pattern.compile("listening on (http://\\S+)");

    private final Path data;
    private final Process process;
    private final String address;

    private ServerProcess(Path data, Process process) {
        this.data = data;
        this.process = process;
        this.address = Eventually.value(
                        "the server listens",
                        () -> LISTENING.matcher(Files.readString(data.resolve("out.log"))),
                        Matcher::find)
                .group(1);
    }

    /**
     * Starts a server.
     *
     * @param jvm options for its JVM
     */
    public static ServerProcess start(Path data, String postgres, Map<String, String> environment, String... jvm)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx256m");
        command.addAll(List.of(jvm));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Tally.class.getName()));
        command.addAll(List.of("server", "--samples", "--port", "0", "--data", data.toString()));
        command.addAll(List.of("--postgres", postgres));
        Files.createDirectories(data);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(data.resolve("out.log").toFile())
                .redirectError(data.resolve("err.log").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("OTEL_") || name.startsWith("TALLY_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            return new ServerProcess(data, process);
        } catch (RuntimeException | Error e) {
            process.destroyForcibly();
            throw e;
        }
    }

    public String address() {
        return address;
    }

    public String token() throws IOException {
        return Files.readString(data.resolve("admin.token")).strip();
    }

    /** Runs one job on the server. */
    public void submitAndWait(String order) throws IOException {
        Run run = Run.tally(
                Map.of("TALLY_SERVER", address, "TALLY_TOKEN", token()),
                "submit",
                "sample.order",
                "--input",
                "{\"order\":\"" + order + "\"}",
                "--key",
                "order:1",
                "--wait");
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** Shuts the server down gracefully and returns its error output. */
    public List<String> stop() throws IOException, InterruptedException {
        process.destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return Files.readAllLines(data.resolve("err.log"));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
