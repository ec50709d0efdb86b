package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs native programs, mainly {@code git}, without the user's configuration. */
public final class Native {

    public record Result(int status, String output) {}

    private Native() {}

    public static Result run(Path directory, Map<String, String> environment, String... command) {
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
            builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
            builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
            builder.environment().put("GIT_AUTHOR_NAME", "stranger");
            builder.environment().put("GIT_AUTHOR_EMAIL", "stranger@localhost");
            builder.environment().put("GIT_COMMITTER_NAME", "stranger");
            builder.environment().put("GIT_COMMITTER_EMAIL", "stranger@localhost");
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Runs {@code git} and requires success. */
    public static String git(Path repository, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        Result result = run(repository, Map.of(), command.toArray(String[]::new));
        assertThat(result.status())
                .as("git %s: %s", String.join(" ", arguments), result.output())
                .isZero();
        return result.output();
    }

    /** Every repository of every test must pass a strict fsck, a log and a clone. */
    public static void accepts(Path repository, Path scratch) {
        git(repository, "fsck", "--strict", "--no-dangling", "--full");
        git(repository, "log", "--format=%H", "main");
        Path clone = scratch.resolve("clone-" + repository.getFileName());
        git(scratch, "clone", "--quiet", "--bare", repository.toString(), clone.toString());
        assertThat(git(clone, "rev-parse", "main")).isEqualTo(git(repository, "rev-parse", "main"));
    }
}
