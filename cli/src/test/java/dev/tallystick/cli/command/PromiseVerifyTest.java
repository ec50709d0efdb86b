package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.BatchPlan;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.AcceptancePromise;
import dev.tallystick.log.receipt.Opened;
import dev.tallystick.log.receipt.SignedPromise;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tally verify} says of a promise whether a copy of the log keeps it, breaks it, or leaves it open. */
class PromiseVerifyTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final String ORIGIN = "log.example/tally";
    private static final NoteSigner SIGNER = NoteSigner.of(ORIGIN, VerifierKey.Type.NOTE, new byte[32]);
    private static final NoteSigner WITNESS =
            NoteSigner.of("witness.example", VerifierKey.Type.COSIGNATURE, new byte[32]);
    private static final MemberSecret MEMBER =
            InstallationSecret.of(new byte[32]).of("mesh", "member", 1);

    @TempDir
    Path scratch;

    private String log;
    private String rootKey;
    private String policy;

    /** The log has the key {@code kept}, and a witness saw it at noon. */
    @BeforeEach
    void seal() throws IOException {
        log = scratch.resolve("log").toString();
        rootKey = Files.writeString(scratch.resolve("root.pub"), SIGNER.key() + "\n")
                .toString();
        policy = Files.writeString(scratch.resolve("policy"), "witness W " + WITNESS.key() + "\nquorum W\n")
                .toString();
        JobSalt salt = JobSalt.of("kept-job", new byte[32]);
        try (LogDirectory open =
                LogDirectory.open(Path.of(log), SIGNER.key(), Anchor.EMPTY, null, CrashPoints.NONE)) {
            BatchPlan plan = open.plan(List.of(
                    LogEntry.SecretCommitted.of(MEMBER),
                    new LogEntry.Accepted(
                            tag("kept"), null, 0L, NOON, salt.commit(Map.of("job", Json.of("kept-job"))))));
            open.write(plan);
            open.commit(plan, SIGNER.sign(plan.note()));
            Checkpoint now = Checkpoint.parse(plan.note());
            open.cosign(now, List.of(WITNESS.cosign(now, NOON)));
        }
    }

    private static Hash tag(String key) {
        return MEMBER.tag(MemberSecret.ACCEPT_DOOR, key, 0);
    }

    /** As {@code tally submit --json} answers. */
    private String promise(String key, Instant sealedBy) throws IOException {
        String job = key + "-job";
        Hash opening = MEMBER.promiseOpening(job);
        AcceptancePromise promise = new AcceptancePromise(
                ORIGIN,
                tag(key),
                job,
                AcceptancePromise.commitTo(opening, job, "f".repeat(64)),
                NOON.minusSeconds(3_600),
                sealedBy);
        Json document =
                new SignedPromise(SIGNER.sign(promise.text()), new Opened(Json.of("f".repeat(64)), opening)).json();
        Json answer = new Json.ObjectValue(Map.of("job_id", Json.of(job), "promise", document));
        return Files.writeString(scratch.resolve("answer.json"), answer.canonical())
                .toString();
    }

    private Run verify(String file, String... more) {
        String[] words = {"verify", file, "--root-key", rootKey};
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return Run.tally(all);
    }

    @Test
    void a_promise_alone_says_what_was_promised() throws IOException {
        Run run = verify(promise("lost", NOON), "--json");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("\"verdict\":\"promised\"", "lost-job", "f".repeat(64));
        String forged = Files.readString(scratch.resolve("answer.json")).replace("job lost", "job gone");
        Files.writeString(scratch.resolve("answer.json"), forged);
        Run refused = verify(scratch.resolve("answer.json").toString());
        assertThat(refused.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(refused.out()).contains("not proven: the promise is not signed by the log's key");
    }

    @Test
    void a_copy_of_the_log_keeps_it_breaks_it_or_leaves_it_open() throws IOException {
        Run kept = verify(promise("kept", NOON.minusSeconds(1)), "--log", log, "--policy", policy);
        assertThat(kept.exitCode()).as(kept.out()).isZero();
        assertThat(kept.out()).startsWith("kept: job kept-job");

        Run early = verify(promise("lost", NOON), "--log", log, "--policy", policy);
        assertThat(early.exitCode()).isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());
        assertThat(early.out()).startsWith("open: ").contains("no quorum of witnesses saw this checkpoint after");
        Run unwitnessed = verify(promise("lost", NOON.minusSeconds(1)), "--log", log);
        assertThat(unwitnessed.exitCode()).isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());

        Run broken = verify(promise("lost", NOON.minusSeconds(1)), "--log", log, "--policy", policy, "--json");
        assertThat(broken.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        Json omission = ((Json.ObjectValue) Json.parse(broken.out())).members().get("omission");
        Path file = Files.writeString(scratch.resolve("omission.json"), omission.canonical());
        Run shown = verify(file.toString(), "--policy", policy);
        assertThat(shown.exitCode()).as(shown.out()).isZero();
        assertThat(shown.out()).contains("job lost-job was to be in log", "witnesses saw the log without it");
        assertThat(verify(file.toString()).out()).startsWith("not proven: no quorum of witnesses");
    }

    @Test
    void a_broken_or_missing_log_says_nothing_about_a_promise() throws IOException {
        String promise = promise("lost", NOON.minusSeconds(1));
        assertThat(verify(promise, "--log", log + "x").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());

        Files.write(Path.of(log, "tail", "3"), new byte[] {0, 1, 2});
        Run run = verify(promise, "--log", log, "--policy", policy);
        assertThat(run.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(run.out()).startsWith("not proven: the log is broken: tail/3");
    }
}
