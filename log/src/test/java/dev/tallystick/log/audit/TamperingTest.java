package dev.tallystick.log.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.log.Logs;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.LogAlarm;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.testkit.Auditor;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Each entry of a log in turn is changed, removed or moved: an audit names it, and neither a writer nor a stranger takes the log. */
@ExtendWith(Seeded.class)
class TamperingTest {

    /** Two full bundles, and a tail of the last batch with its head. */
    private static final int SIZE = 2 + 521 + 5;

    @TempDir
    Path scratch;

    private Path log;
    private Anchor anchor;

    @BeforeEach
    void seal() throws IOException {
        log = scratch.resolve("log");
        try (Logs logs = Logs.in(log)) {
            logs.sealSecret();
            logs.sealJobs(0, 260);
            logs.sealJobs(260, 2);
            anchor = logs.log.anchor();
            assertThat(logs.log.size()).isEqualTo(SIZE);
        }
    }

    @Test
    void a_changed_removed_or_moved_entry_is_named() throws IOException {
        // The secret and its head, both ends of the bundles and one between; in the tail, the heads and an entry.
        tamperWith(List.of(0, 1, 139, 255, 256, 511, 512, 522, SIZE - 1));
    }

    @Test
    @Tag("campaign")
    void every_changed_removed_or_moved_entry_is_named() throws IOException {
        tamperWith(IntStream.range(0, SIZE).boxed().toList());
    }

    private void tamperWith(List<Integer> indexes) throws IOException {
        for (int index : indexes) {
            tamper(index, (entries, at) -> {
                byte[] changed = entries.get(at).clone();
                changed[changed.length / 2] ^= 1;
                entries.set(at, changed);
            });
            tamper(index, (entries, at) -> entries.remove((int) at));
            tamper(index, (entries, at) -> entries.set(at, entries.get(at == 0 ? 1 : at - 1)));
            tamper(index, (entries, at) -> Collections.swap(entries, at, at == 0 ? 1 : at - 1));
        }
        assertThat(audit().findings()).isEmpty();
        LogDirectory.open(log, Logs.SIGNER.key(), anchor, null, CrashPoints.NONE)
                .close();
    }

    private void tamper(int index, BiConsumer<List<byte[]>, Integer> how) throws IOException {
        boolean tail = index >= SIZE / TilePath.FULL * TilePath.FULL;
        String name =
                tail ? "tail/" + SIZE : new TilePath(TilePath.ENTRIES, index / TilePath.FULL, TilePath.FULL).path();
        Path file = log.resolve(name);
        byte[] good = Files.readAllBytes(file);
        List<byte[]> entries = new ArrayList<>(EntryBundle.decode(good));
        how.accept(entries, index % TilePath.FULL);
        Files.write(file, EntryBundle.encode(entries));

        List<String> findings =
                audit().findings().stream().map(Finding::toString).toList();
        // The tail has no tile that says which of its entries is another, and a bundle may just be too short.
        boolean exact = !tail && entries.size() == TilePath.FULL;
        String named = exact ? "entry " + index + ": " : name;
        assertThat(findings)
                .as("entry " + index)
                .anySatisfy(finding -> assertThat(finding).containsAnyOf("entry " + index + ": ", named));
        Files.write(file, good);
    }

    @Test
    void a_stranger_and_the_writer_refuse_what_the_audit_finds() throws IOException {
        Auditor auditor = Auditor.with(Files.writeString(scratch.resolve("root.pub"), Logs.SIGNER.key() + "\n"));
        for (String name : List.of("tile/entries/000", "tile/entries/001", "tail/" + SIZE, "checkpoint")) {
            Path file = log.resolve(name);
            byte[] good = Files.readAllBytes(file);
            byte[] changed = good.clone();
            changed[good.length / 2] ^= 1;
            Files.write(file, changed);
            assertThat(auditor.check("log", List.of(log))).as(name).startsWith("1 refused: ");
            if (!name.equals("tile/entries/000")) {
                assertAlarm(anchor);
            }
            Files.write(file, good);
        }
        assertThat(auditor.check("log", List.of(log))).startsWith("0 log ");
    }

    @Test
    void a_log_that_the_operator_signed_a_second_time_is_not_where_its_anchor_says() throws IOException {
        for (int changed : List.of(0, 100, 261)) {
            Path other = scratch.resolve("other-" + changed);
            Anchor forged;
            try (Logs logs = Logs.in(other)) {
                logs.sealSecret();
                sealJobs(logs, 0, 260, changed);
                sealJobs(logs, 260, 2, changed);
                forged = logs.log.anchor();
            }
            assertThat(LogAudit.audit(other, Logs.SIGNER.key(), new MemberAudit())
                            .findings())
                    .isEmpty();
            assertThat(forged.size()).isEqualTo(anchor.size());
            assertThatThrownBy(() -> LogDirectory.open(other, Logs.SIGNER.key(), anchor, null, CrashPoints.NONE)
                            .close())
                    .isInstanceOf(LogAlarm.class);
        }
        Path checkpoint = log.resolve("checkpoint");
        SignedNote note = SignedNote.parse(Files.readAllBytes(checkpoint));
        Files.write(checkpoint, Logs.NEXT_SIGNER.sign(note.text()).bytes());
        assertThat(audit().findings())
                .containsExactly(new Finding("checkpoint", "the checkpoint is not signed by the log's key"));
        assertAlarm(anchor);
    }

    /** As the operator would have it: one job has another end. */
    private static void sealJobs(Logs logs, int first, int count, int changed) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            long index = logs.log.size() + entries.size();
            entries.add(Logs.accepted("job-" + i, "key-" + i));
            entries.add(Logs.closed(i == changed ? "another" : "job-" + i, index));
        }
        logs.seal(entries);
    }

    @Test
    void mutated_files_of_a_log_never_crash_an_audit(Randomness random) throws IOException {
        List<Path> files;
        try (var all = Files.walk(log)) {
            files = all.filter(Files::isRegularFile)
                    .filter(file ->
                            !List.of("lock", "map").contains(file.getFileName().toString()))
                    .filter(file -> !file.startsWith(log.resolve("tail")) || file.endsWith("tail/" + SIZE))
                    .sorted()
                    .toList();
        }
        for (int i = 0; i < 40; i++) {
            Path file = files.get(random.nextInt(files.size()));
            byte[] good = Files.readAllBytes(file);
            byte[] changed =
                    Arrays.copyOf(good, random.nextInt(4) == 0 ? random.nextInt(good.length + 99) : good.length);
            for (int change = random.nextInt(4); change >= 0 && changed.length > 0; change--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            Files.write(file, changed);
            boolean same = Arrays.equals(good, changed);
            assertThat(audit().isClean()).as(file + ", attempt " + i).isEqualTo(same);
            Files.write(file, good);
        }
    }

    @Test
    void mutated_bundles_are_refused_or_read_back(Randomness random) throws IOException {
        byte[] good = Files.readAllBytes(log.resolve("tail/" + SIZE));
        for (int i = 0; i < 2_000; i++) {
            byte[] changed = good.clone();
            changed[random.nextInt(good.length)] = (byte) random.nextInt(256);
            try {
                assertThat(EntryBundle.encode(EntryBundle.decode(changed))).isEqualTo(changed);
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageContaining("bundle");
            }
        }
    }

    private void assertAlarm(Anchor at) {
        assertThatThrownBy(() -> LogDirectory.open(log, Logs.SIGNER.key(), at, null, CrashPoints.NONE)
                        .close())
                .isInstanceOf(LogAlarm.class);
    }

    private LogAudit.Report audit() throws IOException {
        return LogAudit.audit(log, Logs.SIGNER.key(), new MemberAudit());
    }
}
