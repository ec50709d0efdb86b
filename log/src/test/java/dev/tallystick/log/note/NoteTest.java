package dev.tallystick.log.note;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.log.Logs;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeded.class)
class NoteTest {

    /** The examples of C2SP signed-note and tlog-cosignature. */
    private static final String EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";

    private static final String EXAMPLE = """
            This is an example message.

            — example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
            """;

    private static final String CHECKPOINT = """
            example.com/behind-the-sofa
            20852163
            CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

            — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
            — witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
            """;

    private static final Checkpoint HEAD = new Checkpoint(Logs.ORIGIN, 7, Hash.sha256(new byte[] {7}));
    private static final Instant AT = Instant.ofEpochSecond(1_679_315_147);

    @Test
    void the_example_of_the_specification_verifies() {
        VerifierKey key = VerifierKey.parse(EXAMPLE_KEY);
        SignedNote note = SignedNote.parse(EXAMPLE);

        assertThat(note.isSignedBy(key)).isTrue();
        assertThat(note.toString()).isEqualTo(EXAMPLE);
        assertThat(key.toString()).isEqualTo(EXAMPLE_KEY);
        assertThat(SignedNote.parse(EXAMPLE.replace("message", "massage")).isSignedBy(key))
                .isFalse();
    }

    @Test
    void the_checkpoint_of_the_specification_is_read() {
        SignedNote note = SignedNote.parse(CHECKPOINT);
        Checkpoint checkpoint = Checkpoint.parse(note.text());

        assertThat(checkpoint.size()).isEqualTo(20_852_163);
        assertThat(checkpoint.text()).isEqualTo(note.text());
        assertThat(Cosignature.time(note.signatures().get(1).signature())).isEqualTo(AT);
        assertThat(new String(Cosignature.message(1_679_315_147, note.text()), UTF_8))
                .isEqualTo("cosignature/v1\ntime 1679315147\n" + note.text());
    }

    @Test
    void a_private_key_is_read_back_and_signs_the_same() {
        NoteSigner again = NoteSigner.parse(Logs.SIGNER.secretText());

        assertThat(again.key()).isEqualTo(Logs.SIGNER.key());
        assertThat(again.sign("a\n")).isEqualTo(Logs.SIGNER.sign("a\n"));
        assertThat(again.sign("a\n").isSignedBy(Logs.SIGNER.key())).isTrue();
        assertThat(again.sign("a\n").isSignedBy(Logs.NEXT_SIGNER.key())).isFalse();
    }

    @Test
    void a_note_with_a_good_and_a_bad_signature_of_one_key_is_refused() {
        SignedNote good = Logs.SIGNER.sign("a\n");
        SignedNote both = good.with(Logs.SIGNER.sign("b\n").signatures());

        assertThat(both.isSignedBy(Logs.SIGNER.key())).isFalse();
    }

    @Test
    void a_cosignature_has_its_time_and_a_log_key_cannot_pass_for_a_witness() {
        SignedNote note = Logs.SIGNER.sign(HEAD.text()).with(List.of(Logs.WITNESS.cosign(HEAD, AT)));

        assertThat(note.cosignedAt(Logs.WITNESS.key())).contains(AT);
        assertThat(note.cosignedAt(Logs.SIGNER.key())).isEmpty();
        assertThat(SignedNote.parse(note.bytes())).isEqualTo(note);
    }

    @Test
    void a_policy_counts_groups() {
        NoteSigner second = NoteSigner.of(
                "w2", VerifierKey.Type.COSIGNATURE, Hash.sha256(new byte[] {4}).bytes());
        NoteSigner third = NoteSigner.of(
                "w3", VerifierKey.Type.COSIGNATURE, Hash.sha256(new byte[] {5}).bytes());
        Policy policy = Policy.parse("""
                # two of three
                log %s
                witness A %s https://witness.example/
                witness B %s
                \twitness C %s
                group any-two 2 A B C
                quorum any-two
                """.formatted(Logs.SIGNER.key(), Logs.WITNESS.key(), second.key(), third.key())
                .getBytes(UTF_8));
        SignedNote one = Logs.SIGNER.sign(HEAD.text()).with(List.of(Logs.WITNESS.cosign(HEAD, AT)));
        SignedNote two = one.with(List.of(second.cosign(HEAD, AT.plusSeconds(5))));
        SignedNote three = two.with(List.of(third.cosign(HEAD, AT.plusSeconds(9))));

        assertThat(policy.isMetBy(one)).isFalse();
        assertThat(policy.isMetBy(two)).isTrue();
        assertThat(policy.cosignedAt(two)).contains(AT);
        assertThat(policy.cosignedAt(three)).contains(AT.plusSeconds(5));
        assertThat(policy.witnesses()).hasSize(3);
        assertThat(Policy.unwitnessed().cosignedAt(three)).isEmpty();
    }

    @Test
    void malformed_policies_are_refused_with_their_line() {
        assertThatThrownBy(() -> Policy.parse("quorum none\nquorum none\n".getBytes(UTF_8)))
                .hasMessageContaining("line 2");
        assertThatThrownBy(() -> Policy.parse("quorum A\n".getBytes(UTF_8)))
                .hasMessageContaining("no witness or group");
        assertThatThrownBy(() -> Policy.parse("group G 3 A\n".getBytes(UTF_8))).hasMessageContaining("line 1");
        assertThatThrownBy(() -> Policy.parse(new byte[0])).hasMessageContaining("no line 'quorum");
    }

    @Test
    void a_proof_is_read_back() {
        TlogProof proof = new TlogProof(3, List.of(Hash.EMPTY_TREE, HEAD.root()), Logs.SIGNER.sign(HEAD.text()));

        assertThat(TlogProof.parse(proof.toString())).isEqualTo(proof);
    }

    @Test
    void mutated_notes_proofs_and_policies_are_refused_or_read_back_and_never_crash(Randomness random) {
        byte[] note = Logs.SIGNER
                .sign(HEAD.text())
                .with(List.of(Logs.WITNESS.cosign(HEAD, AT)))
                .bytes();
        byte[] proof = new TlogProof(3, List.of(HEAD.root()), SignedNote.parse(note))
                .toString()
                .getBytes(UTF_8);
        byte[] policy = "witness A %s\ngroup G any A\nquorum G\n"
                .formatted(Logs.WITNESS.key())
                .getBytes(UTF_8);
        for (int i = 0; i < 3_000; i++) {
            byte[] changed = mutated(note, random);
            accepts(() -> assertThat(SignedNote.parse(changed).bytes()).isEqualTo(changed));
            accepts(() -> Checkpoint.parse(SignedNote.parse(changed).text()));
            accepts(() -> TlogProof.parse(new String(mutated(proof, random), UTF_8)));
            accepts(() -> Policy.parse(mutated(policy, random)));
        }
    }

    private static void accepts(Runnable parse) {
        try {
            parse.run();
        } catch (IllegalArgumentException refused) {
            assertThat(refused).isNotNull();
        }
    }

    private static byte[] mutated(byte[] bytes, Randomness random) {
        byte[] changed =
                java.util.Arrays.copyOf(bytes, random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length);
        for (int i = random.nextInt(3); i >= 0 && changed.length > 0; i--) {
            changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
        }
        return changed;
    }
}
