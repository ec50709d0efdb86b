package dev.tallystick.log.receipt;

import static dev.tallystick.log.receipt.ReceiptTest.proven;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.log.Logs;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Auditor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The proofs of many keys in one log, in which the member's secret had to be replaced, the log's key was rotated, and a member was
 * deleted and created again under the same name.
 */
class ManyKeysTest {

    private static final String MESH = "mesh-1";
    private static final String MEMBER = "member-1";
    private static final String CREATED_AGAIN = "member-1#2";
    private static final Trust TRUST = Trust.of(Logs.SIGNER.key());

    @TempDir
    Path scratch;

    private Logs logs;
    private LogSnapshot log;

    /** The entries that commit to the secrets, by position. */
    private final Map<Hash, Long> secrets = new HashMap<>();

    /** The job behind each tag. */
    private final Map<Hash, String> jobs = new HashMap<>();

    @BeforeEach
    void seal() throws IOException {
        logs = Logs.in(scratch.resolve("log"));
        accept(secret(MEMBER, 1), 0, 500);
        logs.seal(List.of(new LogEntry.KeyRotation(Logs.NEXT_SIGNER.key())));
        logs.signer = Logs.NEXT_SIGNER;
        // The first ten keys have expired and are accepted again.
        accept(secret(MEMBER, 2), 0, 10);
        accept(secret(MEMBER, 2), 500, 1_000);
        accept(secret(CREATED_AGAIN, 1), 0, 50);
        log = logs.log.snapshot();
    }

    @AfterEach
    void close() throws IOException {
        logs.close();
    }

    private static MemberSecret secret(String member, int generation) {
        return Logs.INSTALLATION.of(MESH, member, generation);
    }

    private static String key(int number) {
        return "key-" + number;
    }

    private void accept(MemberSecret secret, int first, int end) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        Long committed = secrets.computeIfAbsent(secret.position(), position -> {
            entries.add(LogEntry.SecretCommitted.of(secret));
            return logs.log.size();
        });
        for (int i = first; i < end; i++) {
            Hash tag = secret.tag(MemberSecret.ACCEPT_DOOR, key(i), 0);
            String job = secret.member() + "/" + secret.generation() + "/" + i;
            jobs.put(tag, job);
            entries.add(new LogEntry.Accepted(
                    tag, null, committed, Logs.EXPIRY, Logs.salt(job).commit(Map.of("job", Json.of(job)))));
        }
        logs.seal(entries);
    }

    private byte[] prove(String member, String key) throws IOException {
        List<KeyProof.Generation> generations = new ArrayList<>();
        MemberSecret next = secret(member, 1);
        while (isThere(next.position())) {
            generations.add(KeyProver.generation(next, key, log::prove, this::job));
            next = secret(member, generations.size() + 1);
        }
        long last = log.size() - 1;
        return new KeyProof(
                        MESH,
                        member,
                        key,
                        SealedEntry.of(log.entry(last), log.inclusion(last), Map.of()),
                        generations,
                        log.prove(next.position()),
                        Descendants.NONE,
                        log.checkpoint().orElseThrow(),
                        log.keys().rotations())
                .json()
                .canonicalBytes();
    }

    private boolean isThere(Hash tag) throws IOException {
        MapLeaf leaf = log.prove(tag).leaf();
        return leaf != null && leaf.tag().equals(tag);
    }

    private Optional<Opened> job(Hash tag) {
        return Optional.ofNullable(jobs.get(tag))
                .map(job -> new Opened(Json.of(job), Logs.salt(job).opening(LogEntry.JOB)));
    }

    private List<String> acceptances(String member, String key) throws IOException {
        KeyProof.Facts facts = proven(KeyProof.verify(prove(member, key), TRUST));
        assertThat(List.of(facts.mesh(), facts.member(), facts.key())).containsExactly(MESH, member, key);
        return facts.acceptances();
    }

    @Test
    void a_thousand_keys_are_accepted_and_a_thousand_are_not() throws IOException {
        for (int i = 0; i < 1_000; i++) {
            List<String> expected = new ArrayList<>();
            if (i < 500) {
                expected.add(MEMBER + "/1/" + i);
            }
            if (i < 10 || i >= 500) {
                expected.add(MEMBER + "/2/" + i);
            }
            assertThat(acceptances(MEMBER, key(i))).isEqualTo(expected);
            assertThat(acceptances(MEMBER, "absent-" + i)).isEmpty();
        }
    }

    @Test
    void a_member_that_was_created_again_has_only_its_own_acceptances() throws IOException {
        for (int i = 0; i < 100; i++) {
            List<String> expected = i < 50 ? List.of(CREATED_AGAIN + "/1/" + i) : List.of();
            assertThat(acceptances(CREATED_AGAIN, key(i))).isEqualTo(expected);
        }
    }

    @Test
    void a_stranger_agrees() throws IOException {
        Auditor auditor = Auditor.with(Files.writeString(scratch.resolve("root.pub"), Logs.SIGNER.key() + "\n"));
        List<Path> proofs = new ArrayList<>();
        for (int i = 0; i < 1_000; i += 25) {
            proofs.add(Files.write(scratch.resolve("present-" + i), prove(MEMBER, key(i))));
            proofs.add(Files.write(scratch.resolve("absent-" + i), prove(MEMBER, "absent-" + i)));
        }

        String verdicts = auditor.check("key", proofs);

        assertThat(verdicts).startsWith("0 ");
        List<String> lines = verdicts.substring(2).lines().toList();
        assertThat(lines).hasSize(80);
        assertThat(IntStream.range(0, 80).filter(i -> i % 2 == 1).mapToObj(lines::get))
                .allMatch(line -> line.contains(": 0 acceptance(s)"));
        assertThat(lines.getFirst()).contains(": 2 acceptance(s) member-1/1/0 member-1/2/0;");
        assertThat(IntStream.range(1, 80).filter(i -> i % 2 == 0).mapToObj(lines::get))
                .allMatch(line -> line.contains(": 1 acceptance(s) member-1/"));
    }
}
