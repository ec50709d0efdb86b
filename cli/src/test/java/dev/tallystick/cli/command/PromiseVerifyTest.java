package dev.tallystick.cli.command;

import static dev.tallystick.cli.command.SmallLog.MEMBER;
import static dev.tallystick.cli.command.SmallLog.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.core.Json;
import dev.tallystick.log.receipt.AcceptancePromise;
import dev.tallystick.log.receipt.Opened;
import dev.tallystick.log.receipt.SignedPromise;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tally verify} says of a promise whether a copy of the log keeps it, breaks it, or leaves it open. */
class PromiseVerifyTest {

    private static final String FINGERPRINT = "f".repeat(64);

    @TempDir
    Path scratch;

    private SmallLog log;
    private String directory;

    @BeforeEach
    void seal() throws IOException {
        log = SmallLog.in(scratch, SmallLog.accepted("kept", SmallLog.tag("kept")));
        directory = log.directory().toString();
    }

    /** As {@code tally submit --json} answers. */
    private Path promise(String key, Instant sealedBy) throws IOException {
        String job = key + "-job";
        Hash opening = MEMBER.promiseOpening(job);
        AcceptancePromise promise = new AcceptancePromise(
                SmallLog.ORIGIN,
                SmallLog.tag(key),
                job,
                AcceptancePromise.commitTo(opening, job, FINGERPRINT),
                NOON.minusSeconds(3_600),
                sealedBy);
        Json document = new SignedPromise(
                        SmallLog.SIGNER.sign(promise.text()), new Opened(Json.of(FINGERPRINT), opening))
                .json();
        Json answer = new Json.ObjectValue(Map.of("job_id", Json.of(job), "promise", document));
        return Files.writeString(scratch.resolve("answer.json"), answer.canonical());
    }

    private Run verify(Path file, String... more) {
        return log.tally(List.of("verify", file.toString()), more);
    }

    @Test
    void a_promise_alone_says_what_was_promised() throws IOException {
        Path promise = promise("lost", NOON);

        Run run = verify(promise, "--json");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("\"verdict\":\"promised\"", "lost-job", FINGERPRINT);
        Files.writeString(promise, Files.readString(promise).replace("job lost", "job gone"));
        Run refused = verify(promise);
        assertThat(refused.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(refused.out()).contains("not proven: the promise is not signed by the log's key");
    }

    @Test
    void a_copy_of_the_log_keeps_it_breaks_it_or_leaves_it_open() throws IOException {
        Run kept = verify(promise("kept", NOON.minusSeconds(1)), "--log", directory, "--policy", log.policy());
        assertThat(kept.exitCode()).as(kept.out()).isZero();
        assertThat(kept.out()).startsWith("kept: job kept-job");

        Run early = verify(promise("lost", NOON), "--log", directory, "--policy", log.policy());
        assertThat(early.exitCode()).isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());
        assertThat(early.out()).startsWith("open: ").contains("no quorum of witnesses saw this checkpoint after");
        Run unwitnessed = verify(promise("lost", NOON.minusSeconds(1)), "--log", directory);
        assertThat(unwitnessed.exitCode()).isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());

        Run broken =
                verify(promise("lost", NOON.minusSeconds(1)), "--log", directory, "--policy", log.policy(), "--json");
        assertThat(broken.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        Json omission = Objects.requireNonNull(
                ((Json.ObjectValue) Json.parse(broken.out())).members().get("omission"));
        Path file = Files.writeString(scratch.resolve("omission.json"), omission.canonical());
        Run shown = verify(file, "--policy", log.policy());
        assertThat(shown.exitCode()).as(shown.out()).isZero();
        assertThat(shown.out()).contains("job lost-job was to be in log", "witnesses saw the log without it");
        assertThat(verify(file).out()).startsWith("not proven: no quorum of witnesses");
    }

    @Test
    void a_broken_or_missing_log_says_nothing_about_a_promise() throws IOException {
        Path promise = promise("lost", NOON.minusSeconds(1));
        assertThat(verify(promise, "--log", directory + "x").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());

        Files.write(log.directory().resolve("tail/3"), new byte[] {0, 1, 2});
        Run run = verify(promise, "--log", directory, "--policy", log.policy());
        assertThat(run.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(run.out()).startsWith("not proven: the log is broken: ");
    }
}
