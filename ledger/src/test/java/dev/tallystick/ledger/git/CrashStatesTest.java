package dev.tallystick.ledger.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.Directories;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.OneWriter;
import dev.tallystick.ledger.RecordedDisk;
import dev.tallystick.ledger.Strace;
import dev.tallystick.ledger.Writes;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rebuilds what a disk may hold after a power cut: everything that was forced, and any part of the rest. In each such state
 * the ledger must verify, hold everything acknowledged, and accept the next append.
 */
class CrashStatesTest {

    private static final int SAMPLE = 60;

    @TempDir(factory = Memory.class)
    Path scratch;

    @Test
    void every_state_that_a_power_cut_during_an_append_can_leave_is_whole() throws Exception {
        Recording recording = record(1);
        int states = 0;
        for (int calls = 0; calls <= recording.disk.size(); calls++) {
            for (List<Boolean> lost : recording.disk.choices(calls)) {
                check(recording, calls, lost, states++);
            }
        }
        assertThat(states).isGreaterThan(50);
    }

    @Test
    void a_sample_of_the_states_that_a_power_cut_during_three_appends_can_leave_is_whole() throws Exception {
        Recording recording = record(3);
        Random random = new Random(11);
        for (int i = 0; i < SAMPLE; i++) {
            int calls = random.nextInt(recording.disk.size() + 1);
            List<List<Boolean>> choices = recording.disk.choices(calls);
            check(recording, calls, choices.get(random.nextInt(choices.size())), i);
        }
    }

    @Test
    void a_sample_of_the_states_that_a_power_cut_during_gc_can_leave_is_whole() throws Exception {
        checkSample(record(3, OneCollector.class, 0), 13);
    }

    @Test
    void a_sample_of_the_states_that_a_power_cut_while_packs_are_joined_can_leave_is_whole() throws Exception {
        // One less than needed, counting the ledger's first pack: the second append joins them.
        checkSample(record(PackJoiner.FAN_IN - 2, OneWriter.class, 2), 17);
    }

    private void checkSample(Recording recording, int seed) throws IOException {
        assertThat(recording.disk.removals()).as("packs that were removed").isGreaterThan(2);
        Random random = new Random(seed);
        for (int i = 0; i < SAMPLE; i++) {
            int calls = random.nextInt(recording.disk.size() + 1);
            check(recording, calls, recording.disk.anyChoice(calls, random), i);
        }
    }

    /** A ledger with one version, a copy of it, and the calls that added {@code appends} more. */
    private Recording record(int appends) throws Exception {
        return record(1, OneWriter.class, appends);
    }

    private Recording record(int versions, Class<?> work, int appends) throws Exception {
        Path repository = scratch.resolve("ledger.git");
        SigningKey root = SigningKey.generate();
        Anchored anchor;
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            TxHash head = TxHash.NONE;
            for (int version = 1; version <= versions; version++) {
                head = Writes.done(ledger, OneWriter.write(version, head));
            }
            anchor = ledger.head();
        }
        Path before = scratch.resolve("before.git");
        Directories.copy(repository, before);
        Strace.Run run = Strace.record(scratch, work, repository.toString(), Integer.toString(appends));
        assertThat(run.acknowledged()).isEqualTo(appends);
        RecordedDisk disk = new RecordedDisk(repository, before, run.calls());
        Path whole = scratch.resolve("whole.git");
        Directories.copy(before, whole);
        disk.rebuild(whole, disk.size(), disk.nothingLost(disk.size()));
        assertThat(Directories.differences(whole, repository))
                .as("all calls, rebuilt")
                .isEmpty();
        return new Recording(versions, before, root.publicKey().line(), anchor, disk);
    }

    private record Recording(int versions, Path before, String rootKey, Anchored anchor, RecordedDisk disk) {}

    private void check(Recording recording, int calls, List<Boolean> lost, int number) throws IOException {
        Path state = scratch.resolve("state-" + number + ".git");
        Directories.copy(recording.before, state);
        recording.disk.rebuild(state, calls, lost);
        String description = recording.disk.describe(calls, lost);
        int acknowledged = recording.versions + recording.disk.acknowledged(calls);

        Trust trust = Trust.in(recording.rootKey).anchoredAt(recording.anchor.position(), recording.anchor.root());
        assertThat(Verifier.verify(state, trust, Verifier.Depth.DEEP).findings())
                .as(description)
                .isEmpty();
        try (Ledger ledger = Ledger.open(state, LedgerOptions.defaults())) {
            List<LogEntry> log = ledger.log(OneWriter.STREAM, Integer.MAX_VALUE, 100);
            assertThat(log.size()).as(description).isBetween(acknowledged, acknowledged + 1);
            TxHash parent =
                    ledger.log(OneWriter.STREAM, acknowledged, 1).getFirst().hash();
            Writes.done(ledger, OneWriter.write(acknowledged + 1, parent));
            assertThat(ledger.log(OneWriter.STREAM, Integer.MAX_VALUE, 100))
                    .as(description)
                    .hasSize(acknowledged + 1);
        }
        if (number % 10 == 0) {
            Native.accepts(state, scratch);
        }
        Directories.delete(state);
    }

    /** A process that runs gc. */
    static final class OneCollector {

        public static void main(String[] arguments) throws Exception {
            try (Ledger ledger = Ledger.open(Path.of(arguments[0]), LedgerOptions.defaults())) {
                ledger.collectGarbage(Progress.UNSEEN);
            }
        }
    }
}
