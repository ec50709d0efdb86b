package dev.tallystick.log.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.log.Logs;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContinuityTest {

    @TempDir
    Path scratch;

    private SignedNote checkpoint(Logs logs) {
        return logs.log.checkpoint().orElseThrow();
    }

    private Continuity between(SignedNote older, SignedNote newer) throws Exception {
        return Continuity.between(scratch.resolve("log"), Logs.SIGNER.key(), older, newer);
    }

    @Test
    void each_checkpoint_of_a_log_continues_all_earlier_ones() throws Exception {
        try (Logs logs = Logs.in(scratch.resolve("log"))) {
            logs.sealSecret();
            SignedNote first = checkpoint(logs);
            logs.sealJobs(0, 200);
            SignedNote second = checkpoint(logs);
            logs.sealJobs(200, 200);
            SignedNote third = checkpoint(logs);

            for (SignedNote older : new SignedNote[] {first, second}) {
                for (SignedNote newer : new SignedNote[] {second, third}) {
                    Checkpoint old = Checkpoint.parse(older.text());
                    Checkpoint now = Checkpoint.parse(newer.text());
                    assertThat(between(older, newer))
                            .isInstanceOfSatisfying(
                                    Continuity.Continues.class,
                                    continues -> assertThat(MerkleProofs.consistent(
                                                    old.size(), old.root(), now.size(), now.root(), continues.proof()))
                                            .isTrue());
                }
            }
            assertThat(between(third, second)).isInstanceOf(Continuity.Refused.class);
        }
    }

    @Test
    void a_log_that_was_rewritten_or_signed_by_a_stranger_is_refused() throws Exception {
        try (Logs logs = Logs.in(scratch.resolve("log"));
                Logs other = Logs.in(scratch.resolve("other"))) {
            logs.sealSecret();
            logs.sealJobs(0, 3);
            other.sealSecret();
            other.sealJobs(10, 3);
            SignedNote kept = checkpoint(other);
            logs.sealJobs(20, 300);
            SignedNote now = checkpoint(logs);

            assertThat(between(kept, now))
                    .isInstanceOfSatisfying(
                            Continuity.Refused.class,
                            refused -> assertThat(refused.reason()).contains("rewritten"));
            SignedNote strangers = Logs.NEXT_SIGNER.sign(checkpoint(logs).text());
            assertThat(between(strangers, now))
                    .isInstanceOfSatisfying(
                            Continuity.Refused.class,
                            refused -> assertThat(refused.reason()).contains("not signed"));
        }
    }

    @Test
    void a_tile_that_was_changed_is_refused() throws Exception {
        try (Logs logs = Logs.in(scratch.resolve("log"))) {
            logs.sealSecret();
            logs.sealJobs(0, 10);
            SignedNote first = checkpoint(logs);
            logs.sealJobs(10, 500);
            SignedNote second = checkpoint(logs);
            Path tile = scratch.resolve("log/tile/0/000");
            byte[] bytes = Files.readAllBytes(tile);
            bytes[30 * Hash.BYTES] ^= 1;
            Files.delete(tile);
            Files.write(tile, bytes);

            assertThat(between(first, second)).isInstanceOf(Continuity.Refused.class);
        }
    }
}
