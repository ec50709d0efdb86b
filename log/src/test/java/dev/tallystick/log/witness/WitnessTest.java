package dev.tallystick.log.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.log.Logs;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSignature;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WitnessTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    Path scratch;

    private Witness witness() throws IOException {
        return new Witness(
                scratch.resolve("witness"),
                Logs.WITNESS,
                Map.of(Logs.ORIGIN, List.of(Logs.SIGNER.key())),
                InstantSource.fixed(NOW));
    }

    @Test
    void a_witness_cosigns_what_continues_and_remembers_it_across_restarts() throws IOException {
        try (Logs logs = Logs.in(scratch.resolve("log"))) {
            logs.sealSecret();
            SignedNote first = logs.log.checkpoint().orElseThrow();
            try (Witness witness = witness()) {
                Witness.Answer answer = witness.addCheckpoint(Witness.request(0, List.of(), first));
                assertThat(answer.status()).isEqualTo(200);
                SignedNote cosigned =
                        first.with(List.of(NoteSignature.parse(answer.body().strip())));
                assertThat(cosigned.cosignedAt(witness.key())).contains(NOW);
            }
            logs.sealJobs(0, 3);
            LogSnapshot now = logs.log.snapshot();
            SignedNote second = now.checkpoint().orElseThrow();
            try (Witness witness = witness()) {
                assertThat(witness.addCheckpoint(Witness.request(0, List.of(), second)))
                        .isEqualTo(new Witness.Answer(409, "2\n"));
                assertThat(witness.addCheckpoint(Witness.request(2, now.consistency(2, 9), second))
                                .status())
                        .isEqualTo(200);
                assertThat(witness.addCheckpoint(Witness.request(9, List.of(), second))
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void a_split_view_is_caught() throws IOException {
        Checkpoint one = new Checkpoint(Logs.ORIGIN, 4, Hash.sha256(new byte[] {1}));
        Checkpoint other = new Checkpoint(Logs.ORIGIN, 4, Hash.sha256(new byte[] {2}));
        try (Witness witness = witness()) {
            assertThat(witness.addCheckpoint(Witness.request(0, List.of(), Logs.SIGNER.sign(one.text())))
                            .status())
                    .isEqualTo(200);
            assertThat(witness.addCheckpoint(Witness.request(4, List.of(), Logs.SIGNER.sign(other.text())))
                            .status())
                    .isEqualTo(422);
            assertThat(witness.last(Logs.ORIGIN)).contains(one);
        }
    }

    @Test
    void strangers_and_malformed_requests_are_refused() throws IOException {
        Checkpoint known = new Checkpoint(Logs.ORIGIN, 4, Hash.sha256(new byte[] {1}));
        Checkpoint unknown = new Checkpoint("other.example/log", 4, Hash.sha256(new byte[] {1}));
        try (Witness witness = witness()) {
            assertThat(witness.addCheckpoint(Witness.request(0, List.of(), Logs.SIGNER.sign(unknown.text())))
                            .status())
                    .isEqualTo(404);
            assertThat(witness.addCheckpoint(Witness.request(0, List.of(), Logs.NEXT_SIGNER.sign(known.text())))
                            .status())
                    .isEqualTo(403);
            assertThat(witness.addCheckpoint(Witness.request(5, List.of(), Logs.SIGNER.sign(known.text())))
                            .status())
                    .isEqualTo(400);
            assertThat(witness.addCheckpoint("old x\n\n").status()).isEqualTo(400);
            assertThat(witness.addCheckpoint("").status()).isEqualTo(400);
        }
    }
}
