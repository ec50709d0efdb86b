package dev.tallystick.engine.seal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.Standing;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.log.witness.Witness;
import dev.tallystick.log.witness.WitnessServer;
import dev.tallystick.workflow.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Witnesses cosign what is anchored; receipts and key proofs carry their cosignatures, and do without them if need be. */
class WitnessedSealTest extends SealingRig {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final String NOWHERE = "http://127.0.0.1:1";

    private final NoteSigner witnessKey =
            NoteSigner.generate("witness.example/w1", VerifierKey.Type.COSIGNATURE, new SecureRandom());
    private final NoteSigner otherKey =
            NoteSigner.generate("witness.example/w2", VerifierKey.Type.COSIGNATURE, new SecureRandom());

    private WitnessServer server;

    @BeforeEach
    void serve() throws IOException {
        VerifierKey root = sealer().rootKey();
        server = WitnessServer.start(
                new Witness(
                        files.resolve("witness"), witnessKey, Map.of(ORIGIN, List.of(root)), InstantSource.fixed(NOW)),
                0);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    /** A sealer whose log the witness knows. */
    private Sealer witnessed() {
        return sealer(workbench.database(), settings().witnesses(one()), CrashPoints.NONE);
    }

    private Policy one() {
        return policy("witness w1 %s %s\nquorum w1\n".formatted(witnessKey.key(), server.address()));
    }

    private static Policy policy(String file) {
        return Policy.parse(file.getBytes(UTF_8));
    }

    private Standing standing(JobId job, VerifierKey root, Policy policy) {
        byte[] receipt = ((JobProof.Proven)
                        new Receipts(workbench.database()).prove("default", job.value(), ShownFields.ALL))
                .receipt();
        Verdict<Receipt.Facts> verdict = Receipt.verify(receipt, Trust.of(root).with(policy));
        return ((Verdict.Proven<Receipt.Facts>) verdict).facts().standing();
    }

    @Test
    void receipts_and_key_proofs_say_when_a_quorum_cosigned() throws Exception {
        Sealer sealer = witnessed();
        JobId first = run("one", "first");
        sealer.seal();
        assertThat(standing(first, sealer.rootKey(), one()).words()).isEqualTo("signed, unwitnessed");

        sealer.cosign();
        assertThat(standing(first, sealer.rootKey(), one()).cosignedAt()).contains(NOW);
        JobId second = run("one", "second");
        sealer.seal();
        assertThat(standing(first, sealer.rootKey(), one()).cosignedAt()).contains(NOW);
        assertThat(standing(second, sealer.rootKey(), one()).cosignedAt()).isEmpty();
        sealer.cosign();
        assertThat(standing(second, sealer.rootKey(), one()).cosignedAt()).contains(NOW);

        long cosigned = standing(second, sealer.rootKey(), one()).checkpoint().size();
        run("one", "third");
        sealer.seal();
        byte[] proof = sealer.proveKey(ScopedKey.of("first")).orElseThrow();
        Verdict<KeyProof.Facts> verdict =
                KeyProof.verify(proof, Trust.of(sealer.rootKey()).with(one()));
        assertThat(((Verdict.Proven<KeyProof.Facts>) verdict).facts().words())
                .startsWith("the key \"first\" of member \"library\" in mesh \"default\" was accepted exactly once")
                .contains("as of size " + cosigned + " of log ", ", cosigned at " + NOW);
    }

    @Test
    void without_a_quorum_everything_goes_on_unwitnessed() throws Exception {
        Sealer first = witnessed();
        Policy both = policy("witness w1 %s %s\nwitness w2 %s %s\ngroup both all w1 w2\nquorum both\n"
                .formatted(witnessKey.key(), server.address(), otherKey.key(), NOWHERE));
        Sealer sealer = sealer(workbench.database(), settings().witnesses(both), CrashPoints.NONE);
        JobId job = run("one", "key");
        sealer.seal();
        sealer.cosign();

        assertThat(sealer.isWitnessed()).isFalse();
        assertThat(standing(job, first.rootKey(), both).words()).isEqualTo("signed, unwitnessed");
        run("one", "other");
        sealer.seal();
        everythingIsSealedOnce();
    }

    @Test
    void the_directory_shows_the_cosignatures_and_another_process_continues_it() throws Exception {
        Sealer sealer = witnessed();
        run("one", "first");
        sealer.seal();
        for (int round = 0; round < 3; round++) {
            sealer.cosign();
            sealer.seal();
        }

        SignedNote shown = SignedNote.parse(Files.readAllBytes(files.resolve("log/checkpoint")));
        assertThat(shown.cosignedAt(witnessKey.key())).contains(NOW);
        assertThat(shown.signatures()).hasSize(2);
        sealer.close();
        run("one", "second");
        sealer().seal();
        everythingIsSealedOnce();
    }
}
