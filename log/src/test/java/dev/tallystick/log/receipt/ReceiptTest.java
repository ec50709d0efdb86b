package dev.tallystick.log.receipt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.log.Logs;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Seeded.class)
class ReceiptTest {

    private static final Trust TRUST = Trust.of(Logs.SIGNER.key());
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final MemberSecret SECOND_GENERATION = Logs.INSTALLATION.of("mesh-1", "member-1", 2);

    @TempDir
    Path scratch;

    private Logs logs;

    @BeforeEach
    void seal() throws IOException {
        logs = Logs.in(scratch.resolve("log"));
        logs.sealSecret();
        logs.sealJobs(0, 3);
    }

    @AfterEach
    void close() throws IOException {
        logs.close();
    }

    private Receipt receipt(int job) throws IOException {
        LogSnapshot log = logs.log.snapshot();
        String id = "job-" + job;
        long accepted = 2 + 2L * job;
        return new Receipt(
                id,
                SealedEntry.of(
                        log.entry(accepted),
                        log.inclusion(accepted),
                        Opened.of(Logs.salt(id), Logs.acceptedRecord(id, "key-" + job))),
                SealedEntry.of(
                        log.entry(accepted + 1),
                        log.inclusion(accepted + 1),
                        Opened.of(Logs.salt(id), Logs.closedRecord(id))),
                log.checkpoint().orElseThrow(),
                log.keys().rotations());
    }

    @Test
    void a_receipt_proves_its_records_signed_but_unwitnessed() throws IOException {
        byte[] json = receipt(1).json().canonicalBytes();

        Receipt.Facts facts = proven(Receipt.verify(json, TRUST));

        assertThat(facts.standing().words()).isEqualTo("signed, unwitnessed");
        assertThat(facts.accepted()).containsEntry("key", Json.of("key-1"));
        assertThat(facts.closed().orElseThrow()).containsEntry("output", Json.of("grüße €"));
        assertThat(json.length).isLessThan(4_000);
        assertThat(Receipt.parse(json).json()).isEqualTo(Json.parse(json));
    }

    @Test
    void a_quorum_of_witnesses_gives_it_a_time() throws IOException {
        Checkpoint now = Checkpoint.parse(logs.log.checkpoint().orElseThrow().text());
        logs.log.cosign(now, List.of(Logs.WITNESS.cosign(now, NOON)));
        byte[] json = receipt(1).json().canonicalBytes();

        assertThat(proven(Receipt.verify(json, TRUST.with(policy()))).standing().cosignedAt())
                .contains(NOON);
        assertThat(proven(Receipt.verify(json, TRUST)).standing().words()).isEqualTo("signed, unwitnessed");
    }

    @Test
    void fields_that_are_not_shown_stay_closed() throws IOException {
        Receipt full = receipt(0);
        Receipt brief = new Receipt(
                full.job(),
                with(Objects.requireNonNull(full.accepted()), "job"),
                with(Objects.requireNonNull(full.closed()), "job", "outcome"),
                full.checkpoint(),
                full.rotations());

        Receipt.Facts facts = proven(Receipt.verify(brief.json().canonicalBytes(), TRUST));

        assertThat(facts.accepted()).containsOnlyKeys("job");
        assertThat(facts.closed().orElseThrow()).containsOnlyKeys("job", "outcome");
        assertThat(brief.json().canonical()).doesNotContain("grüße");
    }

    @Test
    void forged_receipts_are_refused_with_the_reason() throws IOException {
        String good = receipt(1).json().canonical();
        Receipt other = receipt(2);

        assertRefused(good.replace("\"completed\"", "\"failed\""), "the field 'outcome'");
        assertRefused(good.replace("\"index\":4", "\"index\":5"), "is not in the log");
        assertRefused(good.replace("job-1", "job-2"), "is not the one that the log commits to");
        assertRefused(good.replace("\"accepted\":4", "\"accepted\":2"), "belongs to another accepted entry");
        assertRefused(good.replace("\"format\":", "\"extra\":1,\"format\":"), "'extra' is unknown");
        assertRefused(good.replace("tally-receipt-v1", "tally-receipt-v2"), "format");
        assertRefused(good.replace(Logs.ORIGIN, "other.example/log"), "of the log 'other.example/log'");
        assertRefused(good.substring(0, good.length() - 5), "line 1");
        Receipt mixed =
                new Receipt("job-1", receipt(1).accepted(), other.closed(), other.checkpoint(), other.rotations());
        assertRefused(mixed.json().canonical(), "belongs to another accepted entry");
        SignedNote resigned = Logs.NEXT_SIGNER.sign(other.checkpoint().text());
        assertRefused(
                new Receipt("job-2", other.accepted(), other.closed(), resigned, List.of())
                        .json()
                        .canonical(),
                "not signed by the log's key");
    }

    @Test
    void truncated_and_field_swapped_receipts_are_refused() throws IOException {
        Receipt good = receipt(1);
        byte[] json = good.json().canonicalBytes();
        for (int length = 0; length < json.length; length += 13) {
            assertThat(Receipt.verify(Arrays.copyOf(json, length), TRUST)).isInstanceOf(Verdict.Refused.class);
        }
        SealedEntry accepted = Objects.requireNonNull(good.accepted());
        SealedEntry closed = Objects.requireNonNull(good.closed());
        Map<String, Opened> swapped = new TreeMap<>(closed.shown());
        swapped.put("outcome", closed.shown().get("output"));
        assertRefused(
                closedAs(good, new SealedEntry(closed.index(), closed.entry(), closed.proof(), swapped)), "'outcome'");
        // Values of another record of the same job.
        assertRefused(
                closedAs(good, new SealedEntry(closed.index(), closed.entry(), closed.proof(), accepted.shown())),
                "is not the one that the log commits to");
        assertRefused(closedAs(good, accepted), "is of type accepted");
        assertRefused(closedAs(good, with(closed, "outcome")), "does not show that its job is 'job-1'");
    }

    private static String closedAs(Receipt receipt, SealedEntry closed) {
        return new Receipt(receipt.job(), receipt.accepted(), closed, receipt.checkpoint(), receipt.rotations())
                .json()
                .canonical();
    }

    @Test
    void a_receipt_follows_rotations_and_a_retired_key_proves_nothing_later() throws IOException {
        logs.seal(List.of(new LogEntry.KeyRotation(Logs.NEXT_SIGNER.key())));
        byte[] lastOfOld = receipt(1).json().canonicalBytes();
        logs.signer = Logs.NEXT_SIGNER;
        logs.sealJobs(3, 1);
        Receipt now = receipt(1);
        byte[] json = now.json().canonicalBytes();

        assertThat(proven(Receipt.verify(lastOfOld, TRUST)).standing().signedBy())
                .isEqualTo(Logs.SIGNER.key());
        assertThat(proven(Receipt.verify(json, TRUST)).standing().signedBy()).isEqualTo(Logs.NEXT_SIGNER.key());
        Trust current = Trust.of(Logs.NEXT_SIGNER.key()).withCurrentKeyOnly();
        assertThat(proven(Receipt.verify(json, current)).job()).isEqualTo("job-1");
        assertThat(Receipt.verify(lastOfOld, current)).isInstanceOf(Verdict.Refused.class);
        Receipt leaked = new Receipt(
                now.job(),
                now.accepted(),
                now.closed(),
                Logs.SIGNER.sign(now.checkpoint().text()),
                now.rotations());
        assertRefused(leaked.json().canonical(), "outside its range");
    }

    @Test
    void an_erased_job_keeps_a_valid_receipt_without_its_fields() throws IOException {
        logs.seal(List.of(new LogEntry.Erased(4L, Map.of())));
        assertThat(proven(Receipt.verify(receipt(0).json().canonicalBytes(), TRUST))
                        .job())
                .isEqualTo("job-0");
    }

    @Test
    void a_key_was_accepted_exactly_once_or_never_over_all_generations() throws IOException {
        logs.seal(List.of(LogEntry.SecretCommitted.of(SECOND_GENERATION)));

        KeyProof.Facts once = proven(KeyProof.verify(keyProof("key-2").json().canonicalBytes(), TRUST));
        KeyProof.Facts never = proven(KeyProof.verify(keyProof("key-9").json().canonicalBytes(), TRUST));

        assertThat(once.acceptances()).containsExactly("job-2");
        String asOf = "\n  as of size 11 of log log.example/tally, signed, unwitnessed";
        assertThat(once.words())
                .isEqualTo("the key \"key-2\" of member \"member-1\" in mesh \"mesh-1\" was accepted exactly once,"
                        + " as job job-2" + asOf);
        assertThat(never.acceptances()).isEmpty();
        assertThat(never.words())
                .isEqualTo("the key \"key-9\" of member \"member-1\" in mesh \"mesh-1\" was never accepted" + asOf);
        assertThat(keyProof("key-2").json().canonicalBytes().length).isLessThan(6_000);
    }

    @Test
    void a_key_proof_that_hides_a_generation_or_a_number_is_refused() throws IOException {
        KeyProof before = keyProof("key-2");
        logs.seal(List.of(LogEntry.SecretCommitted.of(SECOND_GENERATION)));
        KeyProof good = keyProof("key-2");
        KeyProof.Generation first = good.generations().getFirst();
        KeyProof.Generation hidden = new KeyProof.Generation(
                first.secret(), first.committed(), first.numbers().subList(1, 2));
        KeyProof.Generation open = new KeyProof.Generation(
                first.secret(), first.committed(), first.numbers().subList(0, 1));

        LogSnapshot log = logs.log.snapshot();
        assertKeyRefused(with(good, List.of(first), log.prove(SECOND_GENERATION.position())), "generation 2");
        assertKeyRefused(
                with(good, List.of(hidden, good.generations().get(1)), good.noFurther()), "present up to the last one");
        assertKeyRefused(with(good, List.of(open, good.generations().get(1)), good.noFurther()), "must be absent");
        assertKeyRefused(
                new KeyProof(
                        good.mesh(),
                        good.member(),
                        "key-9",
                        good.head(),
                        good.generations(),
                        good.noFurther(),
                        good.descendants(),
                        good.checkpoint(),
                        List.of()),
                "does not lead to");
        assertKeyRefused(
                new KeyProof(
                        good.mesh(),
                        good.member(),
                        good.key(),
                        before.head(),
                        good.generations(),
                        good.noFurther(),
                        good.descendants(),
                        good.checkpoint(),
                        List.of()),
                "is not in the log");
    }

    @Test
    void a_key_proof_of_another_member_or_mesh_than_its_own_is_refused() throws IOException {
        KeyProof once = keyProof("key-2");
        KeyProof never = keyProof("key-9");
        String uncommitted = "does not commit to the secret of generation 1 for this member and mesh";

        for (KeyProof proof : List.of(once, never)) {
            assertKeyRefused(of("mesh-1", "member-2", proof), uncommitted);
            assertKeyRefused(of("mesh-2", "member-1", proof), uncommitted);
            assertKeyRefused(of("mesh-1", "member-1\nproven: all", proof), "printable");
            assertKeyRefused(of("mesh-1", "member-2", moved(proof, "member-2", Logs.MEMBER.secret())), uncommitted);
        }
        MemberSecret other = Logs.INSTALLATION.of("mesh-1", "member-2", 1);
        assertKeyRefused(moved(never, "member-1", other.secret()), uncommitted);
        MapProof first = logs.log.snapshot().prove(Logs.MEMBER.position());
        assertKeyRefused(with(never, List.of(), first), "a generation 1 of the secret that is not shown");
    }

    @Test
    void the_verdict_on_a_member_that_the_log_does_not_know_says_so() throws IOException {
        MapProof absent = logs.log.snapshot().prove(MemberSecret.position("mesh-1", "stranger", 1));
        KeyProof proof = of("mesh-1", "stranger", with(keyProof("key-2"), List.of(), absent));

        KeyProof.Facts facts = proven(KeyProof.verify(proof.json().canonicalBytes(), TRUST));

        assertThat(facts.secrets()).isZero();
        assertThat(facts.words())
                .startsWith("the key \"key-2\" of member \"stranger\" in mesh \"mesh-1\" was never accepted")
                .contains("the log has no secret of this member");
    }

    private static KeyProof of(String mesh, String member, KeyProof proof) {
        return new KeyProof(
                mesh,
                member,
                proof.key(),
                proof.head(),
                proof.generations(),
                proof.noFurther(),
                proof.descendants(),
                proof.checkpoint(),
                proof.rotations());
    }

    /** With this secret, and what the map has at the member's position. */
    private KeyProof moved(KeyProof proof, String member, Hash secret) throws IOException {
        MapProof there = logs.log.snapshot().prove(MemberSecret.position("mesh-1", member, 1));
        return with(
                proof,
                List.of(new KeyProof.Generation(
                        secret, there, proof.generations().getFirst().numbers())),
                proof.noFurther());
    }

    private SealedEntry shown(String job, long index, Map<String, Json> record) throws IOException {
        LogSnapshot log = logs.log.snapshot();
        return SealedEntry.of(log.entry(index), log.inclusion(index), Opened.of(Logs.salt(job), record));
    }

    private static KeyProof with(KeyProof proof, SealedEntry... descendants) {
        return new KeyProof(
                proof.mesh(),
                proof.member(),
                proof.key(),
                proof.head(),
                proof.generations(),
                proof.noFurther(),
                new Descendants(List.of(descendants), true),
                proof.checkpoint(),
                proof.rotations());
    }

    @Test
    void descendants_of_a_key_are_proven_and_others_refused() throws IOException {
        logs.seal(List.of(
                Logs.rerun("rerun-1", "job-1"), Logs.rerun("rerun-2", "rerun-1"), Logs.rerun("stranger", "job-2")));
        long first = logs.log.size() - 4;
        SealedEntry one = shown("rerun-1", first, record("rerun-1", "job-1"));
        SealedEntry two = shown("rerun-2", first + 1, record("rerun-2", "rerun-1"));
        SealedEntry stranger = shown("stranger", first + 2, record("stranger", "job-2"));
        KeyProof proof = keyProof("key-1");

        KeyProof.Facts facts =
                proven(KeyProof.verify(with(proof, one, two).json().canonicalBytes(), TRUST));

        assertThat(facts.descendants())
                .extracting(Descendants.Descendant::words)
                .containsExactly("rerun rerun-1 of job-1", "rerun rerun-2 of rerun-1");
        assertThat(facts.more()).isTrue();
        assertKeyRefused(with(proof, two, one), "does not descend from a job of this key");
        assertKeyRefused(with(proof, one, one), "does not descend from a job of this key");
        assertKeyRefused(with(proof, stranger), "does not descend from a job of this key");
        assertKeyRefused(
                with(proof, shown("stranger", first + 2, record("stranger", "job-1"))),
                "is not the one that the log commits to");
        assertKeyRefused(
                with(proof, shown("rerun-1", first, Map.of("job", Json.of("rerun-1")))), "does not show its field");
        assertKeyRefused(
                with(proof, new SealedEntry(first + 1, one.entry(), one.proof(), one.shown())), "is not in the log");
        assertKeyRefused(with(proof, Objects.requireNonNull(receipt(1).closed())), "is of type closed");
    }

    private static Map<String, Json> record(String job, String origin) {
        return Map.of("job", Json.of(job), "origin", Json.of(origin));
    }

    @Test
    void mutated_receipts_and_key_proofs_never_crash_and_never_prove_anything_else(Randomness random)
            throws IOException {
        byte[] receipt = receipt(1).json().canonicalBytes();
        byte[] key = keyProof("key-1").json().canonicalBytes();
        Receipt.Facts facts = proven(Receipt.verify(receipt, TRUST));
        String once = proven(KeyProof.verify(key, TRUST)).words();
        for (int i = 0; i < 1_500; i++) {
            if (Receipt.verify(mutated(receipt, random), TRUST) instanceof Verdict.Proven<Receipt.Facts> proven) {
                assertThat(proven.facts()).isEqualTo(facts);
            }
            if (KeyProof.verify(mutated(key, random), TRUST) instanceof Verdict.Proven<KeyProof.Facts> proven) {
                assertThat(proven.facts().words()).isEqualTo(once);
            }
        }
    }

    static byte[] mutated(byte[] bytes, Randomness random) {
        byte[] changed = Arrays.copyOf(bytes, random.nextInt(8) == 0 ? random.nextInt(bytes.length) : bytes.length);
        for (int i = random.nextInt(3); i >= 0 && changed.length > 0; i--) {
            changed[random.nextInt(changed.length)] = (byte) random.nextInt(128);
        }
        return changed;
    }

    private static SealedEntry head(LogSnapshot log) throws IOException {
        return SealedEntry.of(log.entry(log.size() - 1), log.inclusion(log.size() - 1), Map.of());
    }

    private KeyProof keyProof(String key) throws IOException {
        LogSnapshot log = logs.log.snapshot();
        List<KeyProof.Generation> generations = new ArrayList<>();
        for (MemberSecret secret : List.of(Logs.MEMBER, SECOND_GENERATION)) {
            var leaf = log.prove(secret.position()).leaf();
            if (leaf != null && leaf.tag().equals(secret.position())) {
                generations.add(KeyProver.generation(secret, key, log::prove, tag -> job(secret, key, tag)));
            }
        }
        Hash next = MemberSecret.position("mesh-1", "member-1", generations.size() + 1);
        return new KeyProof(
                "mesh-1",
                "member-1",
                key,
                head(log),
                generations,
                log.prove(next),
                Descendants.NONE,
                log.checkpoint().orElseThrow(),
                log.keys().rotations());
    }

    private static Optional<Opened> job(MemberSecret secret, String key, Hash tag) {
        String job = key.replace("key", "job");
        return tag.equals(secret.tag(MemberSecret.ACCEPT_DOOR, key, 0))
                ? Optional.of(new Opened(Json.of(job), Logs.salt(job).opening(LogEntry.JOB)))
                : Optional.empty();
    }

    private static KeyProof with(KeyProof proof, List<KeyProof.Generation> generations, MapProof noFurther) {
        return new KeyProof(
                proof.mesh(),
                proof.member(),
                proof.key(),
                proof.head(),
                generations,
                noFurther,
                proof.descendants(),
                proof.checkpoint(),
                proof.rotations());
    }

    private static SealedEntry with(SealedEntry entry, String... fields) {
        Map<String, Opened> shown = new TreeMap<>(entry.shown());
        shown.keySet().retainAll(List.of(fields));
        return new SealedEntry(entry.index(), entry.entry(), entry.proof(), shown);
    }

    private static Policy policy() {
        return Policy.parse(("witness W " + Logs.WITNESS.key() + "\nquorum W\n").getBytes(UTF_8));
    }

    private static void assertRefused(String json, String reason) {
        assertThat(Receipt.verify(json.getBytes(UTF_8), TRUST))
                .isInstanceOfSatisfying(
                        Verdict.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason));
    }

    private static void assertKeyRefused(KeyProof proof, String reason) {
        assertThat(KeyProof.verify(proof.json().canonicalBytes(), TRUST))
                .isInstanceOfSatisfying(
                        Verdict.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason));
    }

    static <T> T proven(Verdict<T> verdict) {
        return switch (verdict) {
            case Verdict.Proven<T> proven -> proven.facts();
            case Verdict.Refused<T> refused -> throw new AssertionError(refused.reason());
        };
    }
}
