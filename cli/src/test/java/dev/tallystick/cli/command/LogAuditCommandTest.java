package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.receipt.Descendants;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.SealedEntry;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tally log audit} finds what an operator hid under the name of a member. */
class LogAuditCommandTest {

    private static final Hash RANDOM = Hash.sha256(new byte[] {9});

    @TempDir
    Path scratch;

    private Run audit(SmallLog log, String... more) {
        return log.tally(List.of("log", "audit", log.directory().toString()), more);
    }

    /** What the member shows: its secret, and one of its keys. */
    private String proof(String key) throws IOException {
        MapProof empty = new MapProof(List.of(), null);
        KeyProof proof = new KeyProof(
                SmallLog.MEMBER.mesh(),
                SmallLog.MEMBER.member(),
                key,
                new SealedEntry(0, LogEntry.SecretCommitted.of(SmallLog.MEMBER), List.of(), Map.of()),
                List.of(new KeyProof.Generation(SmallLog.MEMBER.secret(), empty, List.of())),
                empty,
                Descendants.NONE,
                SmallLog.SIGNER.sign(new Checkpoint(SmallLog.ORIGIN, 1, Hash.EMPTY_TREE).text()),
                List.of());
        return Files.write(scratch.resolve("proof.json"), proof.json().canonicalBytes())
                .toString();
    }

    @Test
    void an_entry_under_a_random_tag_is_found_once_the_member_shows_its_keys() throws IOException {
        SmallLog log = SmallLog.in(
                scratch,
                SmallLog.accepted("one", SmallLog.tag("one")),
                SmallLog.accepted("two", SmallLog.tag("two")),
                SmallLog.accepted("hidden", RANDOM));

        assertThat(audit(log).exitCode()).isZero();
        Run one = audit(log, "--proof", proof("one"));
        assertThat(one.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(one.out()).contains("entry 2: has a tag", "entry 3: has a tag");
        String keys =
                Files.writeString(scratch.resolve("keys.txt"), "two\nthree\n").toString();
        Run all = audit(log, "--proof", proof("one"), "--keys", keys);
        assertThat(all.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(all.out())
                .contains("entry 3: has a tag that is of no key shown for its member")
                .doesNotContain("entry 2");
    }

    @Test
    void a_secret_that_the_log_does_not_commit_to_is_found() throws IOException {
        SmallLog log = SmallLog.in(scratch, SmallLog.accepted("one", SmallLog.tag("one")));
        String proof = proof("one");
        String other = Files.readString(Path.of(proof))
                .replace(SmallLog.MEMBER.secret().base64(), RANDOM.base64());
        Files.writeString(Path.of(proof), other);

        Run run = audit(log, "--proof", proof);

        assertThat(run.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(run.out()).contains("entry 0: commits to another secret");
        Files.writeString(Path.of(proof), "{}");
        assertThat(audit(log, "--proof", proof).exitCode()).isEqualTo(ExitCode.USAGE.code());
    }
}
