package dev.tallystick.log.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.log.Logs;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.LogAlarm;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.map.KeyMap;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogAuditTest {

    @TempDir
    Path scratch;

    /** Changes a file, and expects the audit to name it, or the entry; and the writer not to start, if it reads that file. */
    @Test
    void every_changed_truncated_or_removed_file_is_named() throws IOException {
        Path log = scratch.resolve("log");
        Anchor anchor;
        try (Logs logs = Logs.in(log)) {
            logs.sealSecret();
            logs.sealJobs(0, 300);
            logs.seal(List.of(new LogEntry.KeyRotation(Logs.NEXT_SIGNER.key())));
            logs.signer = Logs.NEXT_SIGNER;
            logs.sealJobs(300, 2);
            anchor = logs.log.anchor();
        }
        List<Path> files;
        try (var all = Files.walk(log)) {
            files = all.filter(Files::isRegularFile)
                    .filter(file ->
                            !List.of("lock", "map").contains(file.getFileName().toString()))
                    .filter(file -> !file.endsWith("tail/605"))
                    .toList();
        }
        assertThat(files).hasSize(2 + 2 + 1 + 1 + 1);
        for (Path file : files) {
            byte[] good = Files.readAllBytes(file);
            String name = log.relativize(file).toString();
            for (int at : List.of(0, good.length / 2, good.length - 1)) {
                byte[] changed = good.clone();
                changed[at] ^= 1;
                Files.write(file, changed);
                assertFound(log, name);
            }
            Files.write(file, java.util.Arrays.copyOf(good, good.length - 1));
            assertFound(log, name);
            Files.delete(file);
            assertFound(log, name);
            if (!name.contains("000")) {
                assertThat(alarms(log, anchor)).as(name).isTrue();
            }
            Files.write(file, good);
        }
        assertThat(audit(log, new MemberAudit()).findings()).isEmpty();
        assertThat(alarms(log, anchor)).isFalse();
    }

    private static void assertFound(Path log, String name) throws IOException {
        assertThat(audit(log, new MemberAudit()).findings())
                .as(name)
                .isNotEmpty()
                .anySatisfy(finding -> assertThat(finding.toString())
                        .containsAnyOf(name, name.contains("entries") || name.contains("tail") ? "entry " : name));
    }

    private static boolean alarms(Path log, Anchor anchor) throws IOException {
        try {
            LogDirectory.open(log, Logs.SIGNER.key(), anchor, null, CrashPoints.NONE)
                    .close();
            return false;
        } catch (LogAlarm alarm) {
            return true;
        }
    }

    @Test
    void reordered_entries_are_found_even_under_a_new_signature() throws IOException {
        List<byte[]> entries = entriesOfGoodLog();
        Collections.swap(entries, 2, 3);
        assertThat(audit(forged(entries), new MemberAudit()).findings())
                .isEmpty(); // the operator may order jobs as it likes before it signs
        assertThat(MerkleProofs.root(entries)).isNotEqualTo(MerkleProofs.root(entriesOfGoodLog()));
    }

    @Test
    void a_head_with_another_map_is_found() throws IOException {
        List<byte[]> entries = entriesOfGoodLog();
        entries.set(entries.size() - 1, new LogEntry.MapHead(entries.size() - 1, Hash.EMPTY_TREE, 3).bytes());

        assertThat(audit(forged(entries), new MemberAudit()).findings())
                .containsExactly(new Finding("entry 4", "the head names another key map than the entries give"));
    }

    @Test
    void a_second_acceptance_and_a_second_secret_are_found() throws IOException {
        assertThat(audit(forged(batch(Logs.accepted("b", "k"))), shown()).findings())
                .anySatisfy(finding -> assertThat(finding.what()).contains("a second time"));
        LogEntry second = new LogEntry.SecretCommitted(Logs.MEMBER.position(), Hash.EMPTY_TREE);
        assertThat(audit(forged(batch(second)), shown()).findings())
                .anySatisfy(finding -> assertThat(finding.what()).contains("a second time"))
                .anySatisfy(finding -> assertThat(finding.what()).contains("another secret"));
    }

    @Test
    void an_entry_under_a_random_tag_is_found() throws IOException {
        LogEntry random = new LogEntry.Accepted(
                Hash.sha256(new byte[] {9}), null, 0L, Logs.EXPIRY, Map.of("job", Hash.EMPTY_TREE));

        assertThat(audit(forged(batch(random)), shown()).findings())
                .containsExactly(new Finding("entry 4", "has a tag that is of no key shown for its member"));
    }

    @Test
    void a_job_that_is_closed_twice_is_found() throws IOException {
        assertThat(audit(forged(batch(Logs.closed("a", 2), Logs.closed("a", 2))), shown())
                        .findings())
                .containsExactly(new Finding("entry 5", "closes the job of entry 2 a second time"));
    }

    private static MemberAudit shown() {
        return new MemberAudit().show(Logs.MEMBER).show(Logs.MEMBER, "k", 0);
    }

    /** Entries 0 to 3: the secret, its head, an acceptance of k, its head. */
    private List<byte[]> entriesOfGoodLog() throws IOException {
        List<byte[]> entries = new ArrayList<>();
        Path path = Files.createTempDirectory(scratch, "good").resolve("log");
        try (Logs logs = Logs.in(path)) {
            logs.sealSecret();
            logs.seal(List.of(Logs.accepted("a", "k"), Logs.closed("x", 0)));
            entries.addAll(logs.log.snapshot().bundle(0));
        }
        return entries;
    }

    /** The entries of a log to which a dishonest operator appends what no plan would: with a head over distinct leaves. */
    private List<byte[]> batch(LogEntry... more) throws IOException {
        Path path = Files.createTempDirectory(scratch, "good").resolve("log");
        List<byte[]> entries = new ArrayList<>();
        List<MapLeaf> leaves = new ArrayList<>();
        try (Logs logs = Logs.in(path)) {
            logs.sealSecret();
            logs.seal(List.of(Logs.accepted("a", "k")));
            entries.addAll(logs.log.snapshot().bundle(0));
        }
        for (LogEntry each : more) {
            entries.add(each.bytes());
        }
        for (byte[] entry : entries) {
            dev.tallystick.log.files.MapLeaves.of(LogEntry.parse(entry))
                    .filter(leaf ->
                            leaves.stream().noneMatch(other -> other.tag().equals(leaf.tag())))
                    .ifPresent(leaves::add);
        }
        try (KeyMap map = KeyMap.create(scratch.resolve("forged.map"))) {
            map.append(map.insertion(1, leaves));
            entries.add(new LogEntry.MapHead(entries.size(), map.version().root(), leaves.size()).bytes());
        }
        return entries;
    }

    /** Signs any entries with the key of the log, as a dishonest operator could. */
    private Path forged(List<byte[]> entries) throws IOException {
        Path log = Files.createTempDirectory(scratch, "forged");
        Files.createDirectories(log.resolve("tail"));
        Files.write(log.resolve("tail/" + entries.size()), EntryBundle.encode(entries));
        Checkpoint checkpoint = new Checkpoint(Logs.ORIGIN, entries.size(), MerkleProofs.root(entries));
        Files.write(
                log.resolve("checkpoint"), Logs.SIGNER.sign(checkpoint.text()).bytes());
        return log;
    }

    private static LogAudit.Report audit(Path log, MemberAudit members) throws IOException {
        return LogAudit.audit(log, Logs.SIGNER.key(), members);
    }
}
