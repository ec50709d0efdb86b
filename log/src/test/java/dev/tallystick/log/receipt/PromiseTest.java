package dev.tallystick.log.receipt;

import static dev.tallystick.log.receipt.ReceiptTest.mutated;
import static dev.tallystick.log.receipt.ReceiptTest.proven;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.log.Logs;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.TagProof;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A promise binds the log: with a later checkpoint its holder shows that it was broken, and never that a kept one was. */
@ExtendWith(Seeded.class)
class PromiseTest {

    private static final Trust TRUST = Trust.of(Logs.SIGNER.key());
    private static final Trust WITNESSED =
            TRUST.with(Policy.parse(("witness W " + Logs.WITNESS.key() + "\nquorum W\n").getBytes(UTF_8)));
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final String FINGERPRINT = "f".repeat(64);

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

    private static SignedPromise promise(int job, NoteSigner signer) {
        String id = "job-" + job;
        Hash opening = Logs.MEMBER.promiseOpening(id);
        AcceptancePromise promise = new AcceptancePromise(
                Logs.ORIGIN,
                Logs.MEMBER.tag(MemberSecret.ACCEPT_DOOR, "key-" + job, 0),
                id,
                AcceptancePromise.commitTo(opening, id, FINGERPRINT),
                NOON,
                NOON.plusSeconds(60));
        return new SignedPromise(signer.sign(promise.text()), new Opened(Json.of(FINGERPRINT), opening));
    }

    private static Verdict<SignedPromise.Facts> verify(String json) {
        return SignedPromise.verify(json.getBytes(UTF_8), TRUST, List.of());
    }

    @Test
    void a_promise_names_its_job_and_opens_its_request() {
        SignedPromise promise = promise(9, Logs.SIGNER);
        String json = promise.json().canonical();

        SignedPromise.Facts facts = proven(verify(json));

        assertThat(facts.promise()).isEqualTo(promise.unverified());
        assertThat(facts.fingerprint()).contains(FINGERPRINT);
        assertThat(json.length()).isLessThan(900);
        assertThat(SignedPromise.parse(json.getBytes(UTF_8)).json().canonical()).isEqualTo(json);
        String brief = new SignedPromise(promise.note(), null).json().canonical();
        assertThat(proven(verify(brief)).fingerprint()).isEmpty();
        assertThat(brief).doesNotContain(FINGERPRINT);
    }

    @Test
    void forged_truncated_foreign_and_field_swapped_promises_are_refused_with_the_reason() {
        SignedPromise promise = promise(9, Logs.SIGNER);
        String good = promise.json().canonical();

        assertRefused(good.replace("job-9", "job-8"), "is not signed by the log's key");
        assertRefused(good.replace("12:01:00", "13:01:00"), "is not signed by the log's key");
        assertRefused(good.replace("12:01:00", "11:01:00"), "ends before it begins");
        assertRefused(good.replace(FINGERPRINT, "e".repeat(64)), "not the one that was promised");
        assertRefused(good.replace("log " + Logs.ORIGIN, "log other.example/log"), "of the log 'other.example/log'");
        assertRefused(good.replace("\\ntag ", "\\nkey "), "line 3 of a promise begins with 'tag '");
        assertRefused(good.replace("T12:00:00Z", "T12:00:00.0Z"), "other than its usual form");
        assertRefused(good.replace("\"format\"", "\"extra\":1,\"format\""), "'extra' is unknown");
        assertRefused(good.substring(0, good.length() - 2), "");
        SignedPromise other = promise(8, Logs.SIGNER);
        assertRefused(
                new SignedPromise(promise.note(), other.fingerprint()).json().canonical(),
                "not the one that was promised");
        assertRefused(
                new SignedPromise(
                                new SignedNote(
                                        promise.note().text(), other.note().signatures()),
                                null)
                        .json()
                        .canonical(),
                "is not signed by the log's key");
        // Tag and commitment are both hashes: each counts only in its own line.
        String[] lines = promise.note().text().split("\n", -1);
        String tag = lines[2].substring("tag ".length());
        String commitment = lines[4].substring("fingerprint ".length());
        assertRefused(good.replace(tag, "#").replace(commitment, tag).replace("#", commitment), "is not signed by");
        NoteSigner stranger = NoteSigner.of(Logs.ORIGIN, VerifierKey.Type.NOTE, new byte[32]);
        assertRefused(promise(9, stranger).json().canonical(), "is not signed by the log's key");
        Checkpoint checkpoint = new Checkpoint(Logs.ORIGIN, 5, Hash.EMPTY_TREE);
        assertRefused(
                new SignedPromise(Logs.SIGNER.sign(checkpoint.text()), null)
                        .json()
                        .canonical(),
                "begins with");
    }

    private TagProof lookUp(SignedPromise promise) throws IOException {
        return LogAudit.lookUp(
                        logs.path, Logs.SIGNER.key(), promise.unverified().tag())
                .proof()
                .orElseThrow();
    }

    private Omission omission(SignedPromise promise, Instant cosigned) throws IOException {
        TagProof proof = lookUp(promise);
        Checkpoint now = Checkpoint.parse(proof.checkpoint().text());
        return new Omission(
                promise.note(),
                proof.head(),
                proof.proof(),
                proof.checkpoint().with(List.of(Logs.WITNESS.cosign(now, cosigned))),
                proof.rotations());
    }

    @Test
    void a_later_checkpoint_without_the_job_shows_the_omission() throws IOException {
        Omission broken = omission(promise(9, Logs.SIGNER), NOON.plusSeconds(61));
        byte[] json = broken.json().canonicalBytes();

        Omission.Facts facts = proven(Omission.verify(json, WITNESSED));

        assertThat(facts.promise().job()).isEqualTo("job-9");
        assertThat(facts.cosignedAt()).isEqualTo(NOON.plusSeconds(61));
        assertThat(Omission.parse(json).json()).isEqualTo(Json.parse(json));
    }

    @Test
    void a_kept_promise_an_early_checkpoint_and_a_forged_omission_show_nothing() throws IOException {
        SignedPromise lost = promise(9, Logs.SIGNER);
        Omission broken = omission(lost, NOON.plusSeconds(61));

        assertOmissionRefused(omission(promise(1, Logs.SIGNER), NOON.plusSeconds(61)), "the promise was kept");
        assertOmissionRefused(omission(lost, NOON.plusSeconds(60)), "no quorum of witnesses");
        assertThat(Omission.verify(broken.json().canonicalBytes(), TRUST))
                .isInstanceOfSatisfying(
                        Verdict.Refused.class,
                        refused -> assertThat(refused.reason()).contains("no quorum of witnesses"));
        List<Hash> siblings = new ArrayList<>(broken.absence().siblings());
        siblings.set(0, Hash.EMPTY_TREE);
        MapProof elsewhere = new MapProof(siblings, broken.absence().leaf());
        assertOmissionRefused(
                new Omission(lost.note(), broken.head(), elsewhere, broken.checkpoint(), List.of()),
                "does not lead to the root of the key map");
        SealedEntry older =
                SealedEntry.of(logs.log.snapshot().entry(1), logs.log.snapshot().inclusion(1), Map.of());
        assertOmissionRefused(
                new Omission(lost.note(), older, broken.absence(), broken.checkpoint(), List.of()),
                "the head is not the last entry");
        assertOmissionRefused(
                new Omission(
                        promise(9, NoteSigner.of(Logs.ORIGIN, VerifierKey.Type.NOTE, new byte[32]))
                                .note(),
                        broken.head(),
                        broken.absence(),
                        broken.checkpoint(),
                        List.of()),
                "the promise is not signed by the log's key");
    }

    @Test
    void a_key_of_the_log_that_came_later_may_promise() throws IOException {
        logs.seal(List.of(new LogEntry.KeyRotation(Logs.NEXT_SIGNER.key())));
        logs.signer = Logs.NEXT_SIGNER;
        logs.sealJobs(3, 1);
        SignedPromise promise = promise(9, Logs.NEXT_SIGNER);
        byte[] json = promise.json().canonicalBytes();

        assertThat(proven(SignedPromise.verify(json, TRUST, lookUp(promise).rotations()))
                        .promise()
                        .job())
                .isEqualTo("job-9");
        assertThat(SignedPromise.verify(json, TRUST, List.of())).isInstanceOf(Verdict.Refused.class);
        assertThat(proven(Omission.verify(
                                omission(promise, NOON.plusSeconds(61)).json().canonicalBytes(), WITNESSED))
                        .standing()
                        .signedBy())
                .isEqualTo(Logs.NEXT_SIGNER.key());
    }

    @Test
    void a_broken_log_shows_nothing_about_a_promise() throws IOException {
        Files.write(logs.path.resolve("tail/9"), new byte[] {0, 1, 2});

        LogAudit.Lookup lookup = LogAudit.lookUp(
                logs.path,
                Logs.SIGNER.key(),
                promise(9, Logs.SIGNER).unverified().tag());

        assertThat(lookup.proof()).isEmpty();
        assertThat(lookup.report().findings()).isNotEmpty();
    }

    @Test
    void mutated_promises_and_omissions_never_crash_and_never_show_anything_else(Randomness random) throws IOException {
        SignedPromise promise = promise(9, Logs.SIGNER);
        byte[] json = promise.json().canonicalBytes();
        byte[] omission = omission(promise, NOON.plusSeconds(61)).json().canonicalBytes();
        for (int i = 0; i < 1_500; i++) {
            if (SignedPromise.verify(mutated(json, random), TRUST, List.of())
                    instanceof Verdict.Proven<SignedPromise.Facts> proven) {
                assertThat(proven.facts().promise()).isEqualTo(promise.unverified());
            }
            if (Omission.verify(mutated(omission, random), WITNESSED)
                    instanceof Verdict.Proven<Omission.Facts> proven) {
                assertThat(proven.facts().promise()).isEqualTo(promise.unverified());
            }
        }
    }

    private static void assertRefused(String json, String reason) {
        assertThat(verify(json))
                .isInstanceOfSatisfying(
                        Verdict.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason));
    }

    private static void assertOmissionRefused(Omission omission, String reason) {
        assertThat(Omission.verify(omission.json().canonicalBytes(), WITNESSED))
                .isInstanceOfSatisfying(
                        Verdict.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason));
    }
}
