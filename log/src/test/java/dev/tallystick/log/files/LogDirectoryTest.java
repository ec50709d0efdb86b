package dev.tallystick.log.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.log.Logs;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.map.DuplicateTagException;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.CrashCoverage;
import dev.tallystick.testkit.SimulatedCrash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogDirectoryTest {

    @TempDir
    Path scratch;

    private Path path() {
        return scratch.resolve("log");
    }

    @Test
    void proofs_of_every_entry_verify_after_a_restart() throws IOException {
        Anchor anchor;
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            logs.sealJobs(0, 300);
            logs.sealJobs(300, 5);
            anchor = logs.log.anchor();
        }
        try (LogDirectory log = Logs.reopen(path(), anchor)) {
            LogSnapshot now = log.snapshot();
            assertThat(now.size()).isEqualTo(2 + 601 + 11);
            for (long index = 0; index < now.size(); index += 7) {
                assertThat(now.inclusion(index).includes(now.entry(index))).isTrue();
            }
            List<Hash> proof = now.consistency(2, now.size());
            assertThat(MerkleProofs.consistent(2, now.rootAt(2), now.size(), now.rootAt(now.size()), proof))
                    .isTrue();
            assertThat(now.prove(Logs.MEMBER.tag("accept", "key-304", 0)).leaf())
                    .isNotNull();
        }
        assertThat(audit().findings()).isEmpty();
        assertThat(audit().heads()).isEqualTo(3);
    }

    @Test
    void partial_tiles_and_bundles_are_served_in_the_width_of_any_earlier_checkpoint() throws IOException {
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            logs.sealJobs(0, 200);
            LogDirectory log = logs.log;
            assertThat(log.read(new TilePath(0, 0, 2))).hasSize(64);
            assertThat(log.read(new TilePath(0, 1, 147))).hasSize(147 * 32);
            assertThat(log.read(new TilePath(1, 0, 1))).hasSize(32);
            assertThat(log.read(new TilePath(TilePath.ENTRIES, 0, 2))).isNotEmpty();
            assertThatThrownBy(() -> log.read(new TilePath(0, 1, 148)))
                    .isInstanceOf(java.nio.file.NoSuchFileException.class);
        }
    }

    @Test
    void the_same_entries_give_the_same_plan() throws IOException {
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            BatchPlan one = logs.log.plan(List.of(Logs.accepted("a", "k")));
            BatchPlan two = logs.log.plan(List.of(Logs.accepted("a", "k")));
            assertThat(one.note()).isEqualTo(two.note());
            assertThat(Checkpoint.parse(one.note()).size()).isEqualTo(4);
            assertThat(one.hashTiles())
                    .singleElement()
                    .satisfies(tile -> assertThat(tile.path()).isEqualTo(new TilePath(0, 0, 4)));
        }
    }

    @Test
    void a_second_acceptance_of_a_key_is_no_batch() throws IOException {
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            logs.seal(List.of(Logs.accepted("a", "k")));
            assertThatThrownBy(() -> logs.log.plan(List.of(Logs.accepted("b", "k"))))
                    .isInstanceOf(DuplicateTagException.class);
            assertThatThrownBy(() -> logs.log.plan(List.of(Logs.accepted("b", "l"), Logs.accepted("c", "l"))))
                    .isInstanceOf(DuplicateTagException.class);
        }
    }

    private static List<LogEntry> batch(int first, int count) {
        List<LogEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(Logs.accepted("job-" + (first + i), "key-" + (first + i)));
        }
        return entries;
    }

    @ParameterizedTest
    @EnumSource(LogCrashPoint.class)
    void a_successor_finishes_the_batch_wherever_its_writer_died(LogCrashPoint point) throws IOException {
        Anchor anchor;
        Intent intent;
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            anchor = logs.log.anchor();
            intent = logs.intend(batch(0, 600));
        }
        CrashAt crash = CrashAt.first(point);
        try (LogDirectory dying = LogDirectory.open(path(), Logs.SIGNER.key(), anchor, intent, crash)) {
            assertThatThrownBy(() -> dying.finish(intent, Logs.SIGNER)).isInstanceOf(SimulatedCrash.class);
        }
        assertThat(crash.hasCrashed()).isTrue();

        try (LogDirectory log = LogDirectory.open(path(), Logs.SIGNER.key(), anchor, intent, CrashPoints.NONE)) {
            assertThat(log.finish(intent, Logs.SIGNER)).isInstanceOf(Commit.Committed.class);
            assertThat(log.finish(intent, Logs.SIGNER)).isInstanceOf(Commit.Committed.class);
            assertThat(log.checkpoint().orElseThrow().text()).isEqualTo(intent.note());
            anchor = log.anchor();
        }
        try (LogDirectory log = Logs.reopen(path(), anchor)) {
            assertThat(log.plan(batch(600, 1)).oldSize()).isEqualTo(603);
        }
        assertThat(audit().findings()).isEmpty();
    }

    @Test
    void a_batch_passes_every_crash_point() throws IOException {
        CrashCoverage<LogCrashPoint> coverage = CrashCoverage.of(LogCrashPoint.class);
        try (LogDirectory log =
                LogDirectory.open(path(), Logs.SIGNER.key(), Anchor.EMPTY, null, coverage.counting(CrashPoints.NONE))) {
            log.finish(Intent.of(log.plan(List.of(LogEntry.SecretCommitted.of(Logs.MEMBER)))), Logs.SIGNER);
        }
        coverage.assertComplete();
    }

    @Test
    void a_writer_that_was_stopped_does_no_harm_when_it_continues() throws IOException {
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            Anchor anchor = logs.log.anchor();
            BatchPlan plan = logs.log.plan(batch(0, 300));
            Intent intent = Intent.of(plan);
            try (LogDirectory successor =
                    LogDirectory.open(path(), Logs.SIGNER.key(), anchor, intent, CrashPoints.NONE)) {
                successor.finish(intent, Logs.SIGNER);
                successor.finish(Intent.of(successor.plan(batch(300, 300))), Logs.SIGNER);
                logs.log.write(plan);
                assertThat(logs.log.commit(plan, Logs.SIGNER.sign(plan.note()))).isInstanceOf(Commit.Superseded.class);
                successor.finish(Intent.of(successor.plan(batch(600, 3))), Logs.SIGNER);
                anchor = successor.anchor();
            }
            assertThat(anchor.size()).isEqualTo(608);
            Logs.reopen(path(), anchor).close();
        }
        assertThat(audit().findings()).isEmpty();
    }

    @Test
    void a_missing_directory_with_an_anchor_is_an_alarm_and_never_an_init() {
        assertAlarm(LogAlarm.Reason.MISSING, new Anchor(2, Hash.EMPTY_TREE));
        assertThat(path()).doesNotExist();
    }

    @Test
    void files_beyond_the_checkpoint_without_an_intent_are_an_alarm() throws IOException {
        Anchor anchor;
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            anchor = logs.log.anchor();
            logs.log.write(logs.log.plan(batch(0, 300)));
        }
        assertAlarm(LogAlarm.Reason.AHEAD_WITHOUT_INTENT, anchor);
        Files.delete(path().resolve("tail/303"));
        assertAlarm(LogAlarm.Reason.AHEAD_WITHOUT_INTENT, anchor);
    }

    @Test
    void a_checkpoint_that_is_not_the_anchor_is_an_alarm() throws IOException {
        Anchor old;
        Anchor anchor;
        byte[] oldCheckpoint;
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            old = logs.log.anchor();
            oldCheckpoint = Files.readAllBytes(path().resolve("checkpoint"));
            logs.seal(batch(0, 3));
            anchor = logs.log.anchor();
        }
        assertAlarm(LogAlarm.Reason.AHEAD_WITHOUT_INTENT, old);
        assertAlarm(LogAlarm.Reason.FORKED, new Anchor(anchor.size(), Hash.EMPTY_TREE));
        byte[] current = Files.readAllBytes(path().resolve("checkpoint"));
        Files.write(path().resolve("checkpoint"), oldCheckpoint);
        Path tail = path().resolve("tail/6");
        byte[] bytes = Files.readAllBytes(tail);
        Files.delete(tail);
        assertAlarm(LogAlarm.Reason.ROLLED_BACK, anchor);
        Files.write(tail, bytes);
        Files.delete(path().resolve("checkpoint"));
        assertAlarm(LogAlarm.Reason.MISSING, anchor);
        Files.write(path().resolve("checkpoint"), current);
        Logs.reopen(path(), anchor).close();
    }

    @Test
    void an_intent_that_does_not_follow_from_its_entries_is_an_alarm() throws IOException {
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            Intent intent = logs.intend(batch(0, 3));
            Intent wrong = new Intent(2, intent.entries(), intent.note().replace("\n6\n", "\n7\n"));
            assertThatThrownBy(() -> logs.log.finish(wrong, Logs.SIGNER)).isInstanceOf(LogAlarm.class);
            Intent reordered = new Intent(
                    2,
                    List.of(
                            intent.entries().get(1),
                            intent.entries().getFirst(),
                            intent.entries().get(2),
                            intent.entries().get(3)),
                    intent.note());
            assertThatThrownBy(() -> logs.log.finish(reordered, Logs.SIGNER)).isInstanceOf(LogAlarm.class);
        }
    }

    @Test
    void an_existing_file_with_other_bytes_is_an_alarm_and_stays() throws IOException {
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            Path bundle = path().resolve("tile/entries/000");
            Files.createDirectories(bundle.getParent());
            Files.writeString(bundle, "other");
            assertThatThrownBy(() -> logs.log.write(logs.log.plan(batch(0, 300))))
                    .isInstanceOf(LogAlarm.class)
                    .hasMessageContaining("tile/entries/000");
            assertThat(bundle).hasContent("other");
        }
    }

    @Test
    void a_lost_or_damaged_map_is_rebuilt_from_the_entries() throws IOException {
        Anchor anchor;
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            logs.sealJobs(0, 200);
            anchor = logs.log.anchor();
        }
        Path map = path().resolve("map");
        byte[] bytes = Files.readAllBytes(map);
        bytes[bytes.length - 100] ^= 1;
        Files.write(map, bytes);
        Logs.reopen(path(), anchor).close();
        Files.delete(map);
        try (LogDirectory log = Logs.reopen(path(), anchor)) {
            assertThat(log.snapshot()
                            .prove(Logs.MEMBER.tag("accept", "key-7", 0))
                            .leaf())
                    .isNotNull();
        }
    }

    @Test
    void many_small_batches_compact_the_map_and_lose_nothing() throws IOException {
        Anchor anchor;
        boolean shrank = false;
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            for (int i = 0; i < 300; i++) {
                long before = Files.size(path().resolve("map"));
                logs.seal(batch(i, 1));
                shrank |= Files.size(path().resolve("map")) < before;
            }
            anchor = logs.log.anchor();
        }
        assertThat(shrank).isTrue();
        try (LogDirectory log = Logs.reopen(path(), anchor)) {
            assertThat(log.snapshot()
                            .prove(Logs.MEMBER.tag("accept", "key-123", 0))
                            .leaf())
                    .isNotNull();
        }
        assertThat(audit().findings()).isEmpty();
    }

    @Test
    void a_rotated_key_signs_from_the_next_checkpoint_on() throws IOException {
        Anchor anchor;
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            logs.seal(List.of(Logs.accepted("a", "k"), new LogEntry.KeyRotation(Logs.NEXT_SIGNER.key())));
            BatchPlan next = logs.log.plan(batch(0, 1));
            logs.log.write(next);
            assertThatThrownBy(() -> logs.log.commit(next, Logs.SIGNER.sign(next.note())))
                    .hasMessageContaining("outside its range");
            logs.signer = Logs.NEXT_SIGNER;
            logs.log.commit(next, Logs.NEXT_SIGNER.sign(next.note()));
            anchor = logs.log.anchor();
        }
        try (LogDirectory log = Logs.reopen(path(), anchor)) {
            assertThat(log.keys().current()).isEqualTo(Logs.NEXT_SIGNER.key());
            assertThat(log.keys().inForceAt(5)).isEqualTo(Logs.SIGNER.key());
        }
        assertThat(audit().findings()).isEmpty();
        Files.write(
                path().resolve("checkpoint"),
                Logs.SIGNER
                        .sign(SignedNote.parse(Files.readAllBytes(path().resolve("checkpoint")))
                                .text())
                        .bytes());
        assertAlarm(LogAlarm.Reason.BAD_SIGNATURE, anchor);
    }

    @Test
    void cosignatures_are_added_to_the_checkpoint_they_are_for() throws IOException {
        try (Logs logs = Logs.in(path())) {
            logs.sealSecret();
            Checkpoint old =
                    Checkpoint.parse(logs.log.checkpoint().orElseThrow().text());
            var cosignature = Logs.WITNESS.cosign(old, Instant.ofEpochSecond(5));
            assertThat(logs.log.cosign(old, List.of(cosignature))).isTrue();
            assertThat(SignedNote.parse(Files.readAllBytes(path().resolve("checkpoint")))
                            .isSignedBy(Logs.WITNESS.key()))
                    .isTrue();
            logs.seal(batch(0, 1));
            assertThat(logs.log.cosign(old, List.of(cosignature))).isFalse();
        }
    }

    private void assertAlarm(LogAlarm.Reason reason, Anchor anchor) {
        assertThatThrownBy(() -> Logs.reopen(path(), anchor).close())
                .isInstanceOfSatisfying(
                        LogAlarm.class, alarm -> assertThat(alarm.reason()).isEqualTo(reason));
    }

    private LogAudit.Report audit() throws IOException {
        return LogAudit.audit(path(), Logs.SIGNER.key(), new MemberAudit());
    }
}
