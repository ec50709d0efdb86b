package dev.tallystick.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.seal.LogNumber;
import dev.tallystick.engine.seal.SigningKeys;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.witness.Witness;
import dev.tallystick.log.witness.WitnessServer;
import dev.tallystick.log.witness.Witnesses;
import dev.tallystick.server.backup.Backup;
import dev.tallystick.server.backup.BackupCrashPoint;
import dev.tallystick.server.backup.BackupException;
import dev.tallystick.server.backup.LogCheck;
import dev.tallystick.server.backup.Restore;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.SimulatedCrash;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A restored database and its log are brought together, whichever is older; what is lost is never guessed. */
class RestoreTest extends RestoreRig {

    @Test
    void a_database_that_is_older_than_its_log_learns_what_the_log_knows() throws Exception {
        Http alice = server.member("alice", "member");
        Http bob = server.member("bob", "member");
        Http carol = server.member("carol", "member");
        String kept = run(alice, "kept");
        String closes = submit(alice, "sample.approval", "closes");
        String open = submit(alice, "sample.approval", "open");
        String personal = run(alice, "personal");
        everythingIsSealed(database);
        Path backup = backup("older");
        run(alice, "lost");
        alice.post(
                "/v1/jobs/" + closes + "/signals/approved", "{\"payload\":{\"by\":\"x\"}}", "Idempotency-Key", "s:1");
        assertThat(result(alice, closes)).isEqualTo("completed");
        assertThat(server.admin()
                        .send("POST", "/v1/jobs/" + personal + "/erase", null)
                        .status())
                .isEqualTo(200);
        String token = server.admin().get("/v1/members/bob/tokens").body().replaceAll(".*?\"id\":\"([^\"]+)\".*", "$1");
        assertThat(server.admin().delete("/v1/tokens/" + token).status()).isEqualTo(204);
        assertThat(server.admin().delete("/v1/members/carol").status()).isEqualTo(204);
        everythingIsSealed(database);
        server.close();

        LogCheck.Outcome outcome = restore(backup);

        assertThat(outcome.report().lost()).isEqualTo(1);
        assertThat(outcome.report().closed()).isEqualTo(1);
        assertThat(outcome.report().stopped()).isZero();
        assertThat(outcome.erased()).isEqualTo(1);
        assertThat(outcome.ended()).isEqualTo(2);
        startAgain();
        Http again = member(alice);
        Http.Reply lost = again.submit("lost", body("sample.order", "lost"));
        assertThat(lost.code()).isEqualTo("outcome_unknown");
        assertThat(lost.text("detail")).contains("restored from a backup");
        assertThat(again.submit("kept", body("sample.order", "kept")).text("job_id"))
                .isEqualTo(kept);
        assertThat(again.submit("personal", body("sample.order", "personal")).text("job_id"))
                .isEqualTo(personal);
        assertThat(again.get("/v1/jobs/" + personal).code()).isEqualTo("not_found");
        assertThat(again.get("/v1/jobs/" + closes + "/result").text("status")).isEqualTo("completed");
        assertThat(again.get("/v1/jobs/" + closes + "/result").text("error")).contains("result is lost");
        assertThat(again.get("/v1/jobs/" + open + "/result").text("status")).isEqualTo("open");
        assertThat(member(bob).get("/v1/me").code()).isEqualTo("unauthenticated");
        assertThat(member(carol).get("/v1/me").code()).isEqualTo("unauthenticated");
        theLogContinues(again, kept);
    }

    @Test
    void a_log_that_is_older_or_missing_is_written_again_byte_for_byte() throws Exception {
        Http alice = server.member("alice", "member");
        String first = run(alice, "first");
        everythingIsSealed(database);
        Path older = backups.resolve("log");
        copy(data.resolve("log"), older);
        for (int i = 0; i < 140; i++) {
            submit(alice, "sample.order", "more:" + i);
        }
        String last = run(alice, "last");
        Eventually.holds(
                "all jobs are done",
                () -> database.transact(
                                "count",
                                tx -> tx.first(
                                        "select count(*) as n from tally.job where closed_by is null",
                                        row -> row.getLong("n")))
                        .orElseThrow()
                        .equals(0L));
        everythingIsSealed(database);
        Path backup = backup("newer");
        server.close();
        Path newest = backups.resolve("newest");
        copy(data.resolve("log"), newest);
        delete(data.resolve("log"));
        copy(older, data.resolve("log"));

        LogCheck.Outcome outcome = restore(backup);

        assertThat(outcome.filesWritten()).isPositive();
        assertThat(outcome.report().isUpToDate()).isTrue();
        String tail = "tail/" + outcome.report().size();
        try (Stream<Path> files = Files.walk(newest)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = newest.relativize(file).toString();
                boolean isOlderTail = name.startsWith("tail/") && !name.equals(tail);
                if (!isOlderTail && !name.equals("map") && !name.equals("lock")) {
                    assertThat(data.resolve("log").resolve(name)).hasSameBinaryContentAs(file);
                }
            }
        }
        startAgain();
        theLogContinues(member(alice), first, last);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_change_of_the_signing_key_is_restored_with_the_older_of_both(boolean isLogOlder) throws Exception {
        Http alice = server.member("alice", "member");
        String first = run(alice, "first");
        everythingIsSealed(database);
        Path olderLog = backups.resolve("log");
        copy(data.resolve("log"), olderLog);
        Path olderBackup = backup("older");
        SigningKeys.request(data.resolve("seal"), LogNumber.FIRST, CrashPoints.NONE);
        Eventually.holds(
                "the key is in force", () -> !Files.exists(data.resolve("seal").resolve("next.key")));
        run(alice, "second");
        everythingIsSealed(database);
        Path backup = isLogOlder ? backup("newer") : olderBackup;
        server.close();
        if (isLogOlder) {
            delete(data.resolve("log"));
            copy(olderLog, data.resolve("log"));
        }

        restore(backup);

        startAgain();
        theLogContinues(member(alice), first);
    }

    @Test
    void a_copy_that_was_made_while_a_batch_was_written_is_restored() throws Exception {
        Http alice = server.member("alice", "member");
        String first = run(alice, "first");
        everythingIsSealed(database);
        Path backup = backup("backup");
        Path checkpoint = backups.resolve("checkpoint");
        Files.copy(data.resolve("log/checkpoint"), checkpoint);
        run(alice, "second");
        everythingIsSealed(database);
        server.close();
        Files.move(checkpoint, data.resolve("log/checkpoint"), StandardCopyOption.REPLACE_EXISTING);

        restore(backup);

        startAgain();
        theLogContinues(member(alice), first);
    }

    @Test
    void a_log_that_is_not_what_its_writer_left_is_refused_with_the_reason() throws Exception {
        run(server.member("alice", "member"), "first");
        everythingIsSealed(database);
        Path backup = backup("backup");
        server.close();
        Path checkpoint = data.resolve("log/checkpoint");
        byte[] good = Files.readAllBytes(checkpoint);
        Files.writeString(checkpoint, "anything");

        assertThatThrownBy(() -> restore(backup))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("is not a checkpoint");

        Files.write(checkpoint, good);
        assertThat(new LogCheck(another, data, Policy.unwitnessed())
                        .run()
                        .report()
                        .isUpToDate())
                .isTrue();
    }

    @Test
    void witnesses_that_have_cosigned_more_than_both_copies_stop_the_restore_until_the_log_is_back() throws Exception {
        Http alice = server.member("alice", "member");
        run(alice, "kept");
        everythingIsSealed(database);
        Path backup = backup("both");
        Path older = backups.resolve("log");
        copy(data.resolve("log"), older);
        run(alice, "lost");
        everythingIsSealed(database);
        server.close();
        Path newest = backups.resolve("newest");
        copy(data.resolve("log"), newest);
        VerifierKey root =
                VerifierKey.parse(Files.readString(data.resolve("root.pub")).strip());
        NoteSigner signer = NoteSigner.of(
                "witness.example/w",
                VerifierKey.Type.COSIGNATURE,
                Hash.sha256(new byte[] {7}).bytes());
        Witness witness =
                new Witness(backups.resolve("witness"), signer, Map.of(root.name(), List.of(root)), Clock.systemUTC());
        try (WitnessServer address = WitnessServer.start(witness, 0)) {
            Policy policy = Policy.parse("witness w %s %s\nquorum w\n"
                    .formatted(signer.key(), address.address())
                    .getBytes(UTF_8));
            cosign(newest, root, policy);
            delete(data.resolve("log"));
            copy(older, data.resolve("log"));
            new Restore(another, ServerSchema.ALL, CrashPoints.NONE).from(backup);
            LogCheck check = new LogCheck(another, data, policy);

            assertThatThrownBy(check::run)
                    .isInstanceOf(BackupException.class)
                    .hasMessageContaining("knows more of this log: it has cosigned size");
            assertThatThrownBy(this::startAgain).hasMessageContaining("not yet compared with its log");
            delete(data.resolve("log"));
            copy(newest, data.resolve("log"));
            LogCheck.Outcome outcome = check.run();
            assertThat(outcome.report().lost()).isEqualTo(1);
            assertThat(outcome.silent()).isEmpty();
        }
    }

    @Test
    void no_server_starts_on_a_database_that_was_not_compared_with_its_log() throws Exception {
        run(server.member("alice", "member"), "kept");
        everythingIsSealed(database);
        Path backup = backup("one");
        server.close();
        new Restore(another, ServerSchema.ALL, CrashPoints.NONE).from(backup);

        assertThatThrownBy(this::startAgain).hasMessageContaining("not yet compared with its log");
        new LogCheck(another, data, Policy.unwitnessed()).run();
        startAgain();
    }

    @Test
    void a_backup_from_before_the_first_batch_is_restored_with_an_empty_log() throws Exception {
        Path backup = backup("empty");
        server.close();
        if (Files.exists(data.resolve("log"))) {
            delete(data.resolve("log"));
        }

        assertThat(restore(backup).sealing()).isTrue();
        startAgain();
        theLogContinues(server.member("alice", "member"));
    }

    @Test
    void an_unfinished_or_damaged_backup_is_refused_and_a_crashed_restore_has_done_nothing() throws Exception {
        run(server.member("alice", "member"), "kept");
        Path unfinished = backups.resolve("unfinished");
        assertThatThrownBy(() -> new Backup(database, CrashAt.first(BackupCrashPoint.TABLES_COPIED)).into(unfinished))
                .isInstanceOf(SimulatedCrash.class);
        Path good = backup("good");
        Path damaged = backups.resolve("damaged");
        copy(good, damaged);
        Path jobs = damaged.resolve("job.copy");
        Files.writeString(jobs, Files.readString(jobs).replace("sample.order", "sample.other"));
        Restore restore = new Restore(another, ServerSchema.ALL, CrashPoints.NONE);

        assertThatThrownBy(() -> restore.from(unfinished))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("not a complete backup");
        assertThatThrownBy(() -> restore.from(damaged))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("job.copy is damaged");
        assertThatThrownBy(() ->
                        new Restore(another, ServerSchema.ALL, CrashAt.first(BackupCrashPoint.RESTORING)).from(good))
                .isInstanceOf(SimulatedCrash.class);
        assertThat(restore.from(good).rows()).isPositive();
        server.close();
        new LogCheck(another, data, Policy.unwitnessed()).run();
        assertThatThrownBy(() -> restore.from(good))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("in use");
    }

    private static void cosign(Path log, VerifierKey root, Policy policy) throws Exception {
        SignedNote checkpoint = SignedNote.parse(Files.readAllBytes(log.resolve("checkpoint")));
        Anchor anchor = Anchor.of(Checkpoint.parse(checkpoint.text()));
        try (LogDirectory directory = LogDirectory.open(log, root, anchor, null, CrashPoints.NONE);
                Witnesses witnesses = new Witnesses(policy, Witnesses.PATIENCE)) {
            assertThat(witnesses
                            .ask(directory.snapshot(), checkpoint, quorum -> {})
                            .hasQuorum())
                    .isTrue();
        }
    }
}
