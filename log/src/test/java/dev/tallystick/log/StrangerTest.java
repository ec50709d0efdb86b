package dev.tallystick.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.TagProof;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.receipt.AcceptancePromise;
import dev.tallystick.log.receipt.Descendants;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.KeyProver;
import dev.tallystick.log.receipt.Omission;
import dev.tallystick.log.receipt.Opened;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.SealedEntry;
import dev.tallystick.log.receipt.SignedPromise;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Auditor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An auditor's Python program, with none of our code, agrees with us about logs, receipts and key proofs made here. */
class StrangerTest {

    /** Numbers and texts whose canonical form is easy to get wrong. */
    private static final Map<String, Json> AWKWARD = new TreeMap<>(Map.of(
            "job", Json.of("job-7"),
            "outcome", Json.parse("""
                    {"a":[1e21,1e-7,0.000001,123456.789,-0.1,5e-324,1.7976931348623157e308,9007199254740992,-3],
                     "\\ue000":1,"\\ud83d\\ude00":"\\u0007\\u2028/\\"","é":null,"":[true,{}]}""")));

    @TempDir
    Path scratch;

    @Test
    void a_stranger_verifies_the_log_its_receipts_and_its_key_proofs() throws Exception {
        try (Logs logs = Logs.in(scratch.resolve("log"))) {
            logs.sealSecret();
            logs.sealJobs(0, 150);
            logs.seal(List.of(new LogEntry.KeyRotation(Logs.NEXT_SIGNER.key())));
            logs.signer = Logs.NEXT_SIGNER;
            logs.seal(List.of(
                    Logs.accepted("job-a", "key-a"),
                    new LogEntry.Closed(305L, Logs.salt("job-a").commit(awkward("job-a"))),
                    Logs.rerun("job-r", "job-a"),
                    new LogEntry.OperatorAction(null, Map.of()),
                    new LogEntry.Erased(4L, Map.of())));
            Checkpoint now =
                    Checkpoint.parse(logs.log.checkpoint().orElseThrow().text());
            logs.log.cosign(now, List.of(Logs.WITNESS.cosign(now, Instant.parse("2026-03-01T12:00:00Z"))));
            LogSnapshot log = logs.log.snapshot();

            assertThat(python("log", logs.path))
                    .isEqualTo("0 log log.example/tally: 311 entries, 4 heads, 152 leaves of the key map");

            Path receipt = Files.write(
                    scratch.resolve("r.json"), receipt(log, "job-a").json().canonicalBytes());
            String proven =
                    "0 job job-a: accepted (entry 305), closed (entry 306); as of size 311 of log log.example/tally";
            assertThat(python("receipt", receipt)).isEqualTo(proven + ", signed, unwitnessed");
            Path policy = Files.writeString(
                    scratch.resolve("policy"), "witness W " + Logs.WITNESS.key() + "\ngroup G all W\nquorum G\n");
            assertThat(python("receipt", receipt, "--policy", policy.toString()))
                    .isEqualTo(proven + ", cosigned at 2026-03-01T12:00:00Z");
            String text = Files.readString(receipt);
            Files.writeString(receipt, text.replace("123456.789", "123456.788"));
            assertThat(python("receipt", receipt))
                    .isEqualTo("1 refused: the field 'outcome' is not the one that the log commits to");
            Files.writeString(receipt, text.replace("\"index\":305", "\"index\":304"));
            assertThat(python("receipt", receipt)).startsWith("1 refused: entry 304 is not in the log");

            Path once = Files.write(
                    scratch.resolve("once.json"), keyProof(log, "key-a").json().canonicalBytes());
            assertThat(python("key", once))
                    .isEqualTo("0 key \"key-a\" of member \"member-1\" in mesh \"mesh-1\": 1 acceptance(s) job-a; "
                            + "as of size 311 of log log.example/tally, signed, unwitnessed\n  rerun job-r of job-a");
            assertThat(python("key", once, "--policy", policy.toString()))
                    .contains("; as of size 311 of log log.example/tally, cosigned at 2026-03-01T12:00:00Z\n");
            String proof = Files.readString(once);
            String uncommitted =
                    "1 refused: the log does not commit to the secret of generation 1 for this member and mesh";
            Files.writeString(once, proof.replace("\"member\":\"member-1\"", "\"member\":\"member-2\""));
            assertThat(python("key", once)).isEqualTo(uncommitted);
            Files.writeString(once, proof.replace("\"mesh\":\"mesh-1\"", "\"mesh\":\"mesh-2\""));
            assertThat(python("key", once)).isEqualTo(uncommitted);
            Files.writeString(once, proof.replace("\"member-1\"", "\"member-1\\nkey\""));
            assertThat(python("key", once)).isEqualTo("1 refused: names and keys are printable");
            Files.writeString(once, proof.replace("\"kind\":\"rerun\"", "\"kind\":\"fork\""));
            assertThat(python("key", once)).isEqualTo("1 refused: entry 307 is not in the log of this checkpoint");
            Path never = Files.write(
                    scratch.resolve("never.json"), keyProof(log, "key-b").json().canonicalBytes());
            assertThat(python("key", never))
                    .startsWith("0 key \"key-b\" of member \"member-1\" in mesh \"mesh-1\": 0 acceptance(s)");
            Files.writeString(never, Files.readString(never).replace("key-b", "key-a"));
            assertThat(python("key", never)).startsWith("1 refused: ");

            Path kept = write("kept.json", promise("job-a", "key-a").json());
            assertThat(python("promise", kept)).startsWith("1 refused: the promise is not signed by the log's key");
            assertThat(python("promise", kept, "--log", logs.path.toString())).endsWith("; kept: the log has it");
            SignedPromise lost = promise("job-b", "key-b");
            Path broken = write("broken.json", lost.json());
            assertThat(python("promise", broken, "--log", logs.path.toString()))
                    .startsWith(
                            "0 job job-b: will be in log log.example/tally by 2026-03-01T11:59:59.500Z; not in the log");
            assertThat(python("promise", broken, "--log", logs.path.toString(), "--policy", policy.toString()))
                    .isEqualTo("1 refused: broken: witnesses saw the log without job job-b");
            Files.writeString(broken, Files.readString(broken).replace("f".repeat(64), "e".repeat(64)));
            assertThat(python("promise", broken, "--log", logs.path.toString()))
                    .isEqualTo("1 refused: the fingerprint is not the one that was promised");
            TagProof omitted = LogAudit.lookUp(
                            logs.path, Logs.SIGNER.key(), lost.unverified().tag())
                    .proof()
                    .orElseThrow();
            Path omission = write(
                    "omission.json",
                    new Omission(
                                    lost.note(),
                                    omitted.head(),
                                    omitted.proof(),
                                    omitted.checkpoint(),
                                    omitted.rotations())
                            .json());
            assertThat(python("omission", omission, "--policy", policy.toString()))
                    .startsWith("0 broken: job job-b");
            assertThat(python("omission", omission)).startsWith("1 refused: no quorum of witnesses");

            Path bundle = logs.path.resolve("tile/entries/000");
            byte[] good = Files.readAllBytes(bundle);
            good[good.length / 2] ^= 1;
            Files.write(bundle, good);
            assertThat(python("log", logs.path)).startsWith("1 refused: ");
        }
    }

    private Path write(String name, Json document) throws IOException {
        return Files.write(scratch.resolve(name), document.canonicalBytes());
    }

    /** A promise by the key that came later, due half a second before the witness saw the log. */
    private static SignedPromise promise(String job, String key) {
        Hash opening = Logs.MEMBER.promiseOpening(job);
        String fingerprint = "f".repeat(64);
        AcceptancePromise promise = new AcceptancePromise(
                Logs.ORIGIN,
                Logs.MEMBER.tag(MemberSecret.ACCEPT_DOOR, key, 0),
                job,
                AcceptancePromise.commitTo(opening, job, fingerprint),
                Instant.parse("2026-03-01T11:00:00Z"),
                Instant.parse("2026-03-01T11:59:59.500Z"));
        return new SignedPromise(Logs.NEXT_SIGNER.sign(promise.text()), new Opened(Json.of(fingerprint), opening));
    }

    private static Map<String, Json> awkward(String job) {
        Map<String, Json> fields = new TreeMap<>(AWKWARD);
        fields.put("job", Json.of(job));
        return fields;
    }

    private static Receipt receipt(LogSnapshot log, String job) throws IOException {
        return new Receipt(
                job,
                SealedEntry.of(
                        log.entry(305),
                        log.inclusion(305),
                        Opened.of(Logs.salt(job), Logs.acceptedRecord(job, "key-a"))),
                SealedEntry.of(log.entry(306), log.inclusion(306), Opened.of(Logs.salt(job), awkward(job))),
                log.checkpoint().orElseThrow(),
                log.keys().rotations());
    }

    private static SealedEntry rerun(LogSnapshot log) throws IOException {
        Map<String, Json> record = Map.of("job", Json.of("job-r"), "origin", Json.of("job-a"));
        return SealedEntry.of(log.entry(307), log.inclusion(307), Opened.of(Logs.salt("job-r"), record));
    }

    private static KeyProof keyProof(LogSnapshot log, String key) throws IOException {
        Opened job = new Opened(Json.of("job-a"), Logs.salt("job-a").opening(LogEntry.JOB));
        KeyProof.Generation generation = KeyProver.generation(Logs.MEMBER, key, log::prove, tag -> Optional.of(job));
        long last = log.size() - 1;
        return new KeyProof(
                "mesh-1",
                "member-1",
                key,
                SealedEntry.of(log.entry(last), log.inclusion(last), Map.of()),
                List.of(generation),
                log.prove(MemberSecret.position("mesh-1", "member-1", 2)),
                key.equals("key-a") ? new Descendants(List.of(rerun(log)), false) : Descendants.NONE,
                log.checkpoint().orElseThrow(),
                log.keys().rotations());
    }

    /** The exit code and what the program prints. */
    private String python(String what, Path file, String... more) throws IOException {
        Path key = Files.writeString(scratch.resolve("root.pub"), Logs.SIGNER.key() + "\n");
        return Auditor.with(key).check(what, List.of(file), more);
    }
}
