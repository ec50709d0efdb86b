package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Native {@code git} on one repository. It talks to other machines over every transport the user's {@code git} supports; the
 * ledger needs it for nothing else.
 */
public final class NativeGit {

    /** These variables would point {@code git} at another repository. */
    private static final List<String> MISLEADING = List.of(
            "GIT_DIR",
            "GIT_COMMON_DIR",
            "GIT_CONFIG",
            "GIT_SHALLOW_FILE",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            "GIT_NAMESPACE",
            "GIT_REPLACE_REF_BASE",
            "GIT_GRAFT_FILE");

    /** The repository's configuration was checked; these options keep hooks from running. */
    private static final List<String> NOTHING_OF_ITS_OWN =
            List.of("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never");

    private final Path repository;

    public NativeGit(Path repository) {
        this.repository = repository;
    }

    public record Answer(int status, String out, String err) {

        public boolean succeeded() {
            return status == 0;
        }

        /** The last line of its error output, for people. */
        public String complaint() {
            List<String> lines = err.lines().filter(line -> !line.isBlank()).toList();
            return lines.isEmpty() ? "git failed with status " + status : lines.getLast();
        }
    }

    public Answer run(String... arguments) throws IOException {
        Repository.refuseIfMisleading(repository);
        List<String> command = new ArrayList<>(List.of("git", "--git-dir=" + repository.toAbsolutePath()));
        command.addAll(NOTHING_OF_ITS_OWN);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        MISLEADING.forEach(builder.environment()::remove);
        builder.environment().put("GIT_TERMINAL_PROMPT", "0");
        builder.environment().put("LC_ALL", "C");
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new RemoteFailedException("cannot run git, which is needed to reach other copies: " + e.getMessage());
        }
        try {
            process.getOutputStream().close();
            CompletableFuture<String> err = CompletableFuture.supplyAsync(
                    () -> text(process.getErrorStream()),
                    runnable -> Thread.ofVirtual().start(runnable));
            String out = text(process.getInputStream());
            String complaints = err.join();
            return new Answer(process.onExit().join().exitValue(), out, complaints);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String text(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
