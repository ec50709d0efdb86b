package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.TagProof;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.receipt.Descendants;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.KeyProver;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tally verify} says of the proof of a key whose key it is, and as of when. */
class KeyVerifyTest {

    @TempDir
    Path scratch;

    private SmallLog log;

    @BeforeEach
    void seal() throws IOException {
        log = SmallLog.in(scratch, SmallLog.accepted("one", SmallLog.tag("one")));
    }

    private TagProof lookUp(Hash tag) throws IOException {
        return LogAudit.lookUp(log.directory(), SmallLog.SIGNER.key(), tag)
                .proof()
                .orElseThrow();
    }

    private String proof(String key) throws IOException {
        String mesh = SmallLog.MEMBER.mesh();
        String member = SmallLog.MEMBER.member();
        TagProof next = lookUp(MemberSecret.position(mesh, member, 2));
        KeyProof proof = new KeyProof(
                mesh,
                member,
                key,
                next.head(),
                List.of(KeyProver.generation(
                        SmallLog.MEMBER, key, tag -> lookUp(tag).proof(), tag -> Optional.empty())),
                next.proof(),
                Descendants.NONE,
                next.checkpoint(),
                next.rotations());
        return proof.json().canonical();
    }

    private Run verify(String proof, String... more) throws IOException {
        Path file = Files.writeString(scratch.resolve("proof.json"), proof);
        return log.tally(List.of("verify", file.toString()), more);
    }

    @Test
    void the_verdict_names_member_mesh_size_and_the_time_of_the_witnesses() throws IOException {
        Run once = verify(proof("one"), "--policy", log.policy());
        assertThat(once.exitCode()).as(once.out()).isZero();
        assertThat(once.out()).isEqualTo("""
                proven: the key "one" of member "member" in mesh "mesh" was accepted exactly once
                  as of size 3 of log log.example/tally, cosigned at 2026-03-01T12:00:00Z
                """);
        assertThat(verify(proof("two")).out()).isEqualTo("""
                proven: the key "two" of member "member" in mesh "mesh" was never accepted
                  as of size 3 of log log.example/tally, signed, unwitnessed
                """);
        assertThat(verify(proof("two"), "--policy", log.policy(), "--json").out())
                .contains("\"mesh\":\"mesh\",\"member\":\"member\",\"key\":\"two\",\"secrets\":1")
                .contains("\"size\":3", "\"cosigned_at\":\"2026-03-01T12:00:00Z\"");
    }

    @Test
    void a_proof_under_the_name_of_another_member_is_refused() throws IOException {
        Run forged = verify(proof("one").replace("\"member\":\"member\"", "\"member\":\"other\""));

        assertThat(forged.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(forged.out())
                .startsWith(
                        "not proven: the log does not commit to the secret of generation 1 for this member and mesh");
    }
}
