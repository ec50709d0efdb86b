package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.ReplicationKillTest.Errand;
import dev.tallystick.ledger.ReplicationKillTest.OneErrand;
import dev.tallystick.ledger.copies.Fetch;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rebuilds what a disk may hold after a power cut during a fetch, a merge or a clone, both of our writes and of those by the
 * {@code git} we started. In each such state the copy verifies, has lost nothing, and the same command succeeds.
 */
class ReplicationCrashStatesTest {

    private static final int SAMPLE = 40;
    private static final StreamId SHARED = StreamId.of("copies", "shared");
    private static final StreamId HOME = StreamId.of("copies", "home");
    private static final StreamId AWAY = StreamId.of("copies", "away");

    @TempDir(factory = Memory.class)
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path home;
    private Path copy;
    private Trust trust;

    @BeforeEach
    void make_two_copies() throws IOException {
        home = scratch.resolve("home.git");
        copy = scratch.resolve("copy.git");
        trust = Trust.in(root.publicKey().line());
        try (Ledger ledger = Ledger.init(home, root, LedgerOptions.defaults())) {
            done(ledger, put(SHARED, TxHash.NONE, "{}"));
        }
    }

    @ParameterizedTest
    @EnumSource(Errand.class)
    void a_sample_of_the_states_that_a_power_cut_can_leave_is_whole(Errand errand) throws Exception {
        Path before = scratch.resolve("before.git");
        if (errand == Errand.CLONE) {
            Files.createDirectories(before);
        } else {
            prepare(errand);
            Directories.copy(copy, before);
        }
        String[] arguments = {errand.name(), copy.toString(), home.toString(), trust.rootKey()};
        Strace.Run run = Strace.recordAll(scratch, OneErrand.class, arguments);
        assertThat(run.lines()).last().isEqualTo("done");
        RecordedDisk disk = new RecordedDisk(copy, before, run.calls());
        Path whole = scratch.resolve("whole.git");
        Directories.copy(before, whole);
        disk.rebuild(whole, disk.size(), disk.nothingLost(disk.size()));
        assertThat(Directories.differences(whole, copy))
                .as("all calls, rebuilt")
                .isEmpty();

        Random random = new Random(19);
        for (int i = 0; i < SAMPLE; i++) {
            int calls = random.nextInt(disk.size() + 1);
            List<Boolean> lost = disk.anyChoice(calls, random);
            Path state = scratch.resolve("state-" + i + ".git");
            Directories.copy(before, state);
            disk.rebuild(state, calls, lost);
            check(errand, state, disk.describe(calls, lost));
            Directories.delete(state);
        }
    }

    private void prepare(Errand errand) throws IOException {
        cloned(copy).close();
        try (Ledger ours = Ledger.open(home, LedgerOptions.defaults());
                Ledger theirs = Ledger.open(copy, LedgerOptions.defaults())) {
            theirs.addSigningKey(root);
            if (errand == Errand.MERGE) {
                done(theirs, put(AWAY, TxHash.NONE, "1"));
                done(theirs, put(SHARED, theirs.read(SHARED).head(), "{\"away\":1}"));
            }
            Anchored anchor = theirs.head();
            trust = trust.anchoredAt(anchor.position(), anchor.root());
            // Once unobserved, so that all directories exist.
            assertThat(theirs.fetch("origin")).isInstanceOf(Fetch.UpToDate.class);
            done(ours, put(HOME, TxHash.NONE, "1"));
            done(ours, put(SHARED, ours.read(SHARED).head(), "{\"home\":1}"));
        }
    }

    private void check(Errand errand, Path state, String description) throws IOException {
        if (errand != Errand.CLONE) {
            assertThat(Verifier.verify(state, trust, Verifier.Depth.DEEP).findings())
                    .as(description)
                    .isEmpty();
        }
        try (Ledger ledger = errand == Errand.CLONE ? cloned(state) : Ledger.open(state, LedgerOptions.defaults())) {
            switch (errand) {
                case FETCH ->
                    assertThat(ledger.fetch("origin"))
                            .as(description)
                            .isInstanceOfAny(Fetch.Forwarded.class, Fetch.UpToDate.class);
                case MERGE -> {
                    assertThat(ledger.merge("origin"))
                            .as(description)
                            .isInstanceOfAny(Merge.Joined.class, Merge.UpToDate.class);
                    assertThat(ledger.read(AWAY)).as(description).isInstanceOf(Document.Present.class);
                }
                case CLONE -> ledger.addSigningKey(root);
            }
            if (errand != Errand.CLONE) {
                assertThat(ledger.read(HOME)).as(description).isInstanceOf(Document.Present.class);
            }
            done(ledger, put(SHARED, ledger.read(SHARED).head(), "2"));
        }
        assertThat(Verifier.verify(state, trust, Verifier.Depth.DEEP).findings())
                .as(description)
                .isEmpty();
    }

    private Ledger cloned(Path directory) throws IOException {
        Clone clone = Ledger.cloneFrom(home.toString(), directory, trust, LedgerOptions.defaults(), Progress.UNSEEN);
        assertThat(clone).isInstanceOf(Clone.Cloned.class);
        return ((Clone.Cloned) clone).ledger();
    }
}
