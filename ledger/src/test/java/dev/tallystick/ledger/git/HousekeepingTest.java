package dev.tallystick.ledger.git;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.ledger.Clone;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import dev.tallystick.testkit.CrashAt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HousekeepingTest {

    private static final StreamId STREAM = StreamId.of("garbage", "doc");

    @TempDir
    Path scratch;

    private Path repository;
    private String rootKey;

    @BeforeEach
    void init() throws IOException {
        repository = scratch.resolve("ledger.git");
        SigningKey root = SigningKey.generate();
        rootKey = root.publicKey().line();
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            TxHash head = TxHash.NONE;
            for (int version = 1; version <= 12; version++) {
                head = done(ledger, put(STREAM, head, Integer.toString(version)));
            }
        }
    }

    @Test
    void everything_is_in_one_pack_afterwards_and_nothing_is_missing() throws IOException {
        Native.git(repository, "tag", "-a", "-m", "a stranger's tag", "v1", "main~3");
        List<LogEntry> log;
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            log = ledger.log(STREAM, 100, 100);
            assertThat(ledger.collectGarbage(Progress.UNSEEN)).isGreaterThan(12 * 4);
            assertThat(ledger.log(STREAM, 100, 100)).isEqualTo(log);
            done(ledger, put(STREAM, log.getFirst().hash(), "13"));
            ledger.collectGarbage(Progress.UNSEEN);
        }
        assertThat(packs()).hasSize(1);
        assertThat(Native.git(repository, "cat-file", "-t", "v1").strip()).isEqualTo("tag");
        judge();
    }

    @Test
    void unreachable_objects_are_dropped_after_the_grace_period() throws IOException {
        CrashPoints dies = CrashAt.first(LedgerCrashPoint.OBJECTS_FORCED);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults().withCrashPoints(dies))) {
            assertThat(ledger.append(put(STREAM, ledger.read(STREAM).head(), "lost".length() + "")))
                    .isInstanceOf(Append.Unavailable.class);
        }
        Native.git(repository, "hash-object", "-w", "--stdin");
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            ledger.collectGarbage(Progress.UNSEEN);
        }
        assertThat(packs())
                .as("the new pack, and one that may be about to be referenced")
                .hasSize(2);

        collectGarbageAfterTheGracePeriod();
        assertThat(packs()).hasSize(1);
        judge();
    }

    @Test
    void files_of_others_are_kept_whatever_modes_an_old_git_gave_them() throws IOException {
        Oid[] file = new Oid[1];
        Forgery.in(repository).plantRaw((store, pack, tip, tree) -> {
            file[0] = pack.add(ObjectType.BLOB, new byte[] {'x'});
            Oid directory = file[0];
            for (String entry : List.of("100664 file", "040000 padded", "40755 odd")) {
                byte[] bytes =
                        java.util.Arrays.copyOf((entry + "\0").getBytes(US_ASCII), entry.length() + 1 + Oid.BYTES);
                directory.writeTo(bytes, entry.length() + 1);
                directory = pack.add(ObjectType.TREE, bytes);
            }
            TreeEdit edit = TreeEdit.of(store, tree);
            edit.graft("src", directory);
            return "tree " + edit.writeTo(pack) + "\nparent " + tip
                    + "\nauthor M <m@x> 1 +0000\ncommitter M <m@x> 1 +0000\n\nx\n";
        });
        collectGarbageAfterTheGracePeriod();
        assertThat(Native.git(repository, "cat-file", "blob", "main:src/odd/padded/file"))
                .isEqualTo("x");
        assertThat(Native.git(repository, "cat-file", "-t", file[0].toString())).isEqualTo("blob\n");
    }

    @Test
    void leftovers_of_a_killed_git_are_dropped_after_the_grace_period() throws IOException {
        Path directory = repository.resolve("objects/pack");
        String pack = "pack-" + "0".repeat(40);
        List<Path> abandoned = List.of(
                directory.resolve("tmp_pack_a1b2c3"),
                directory.resolve(pack + ".pack"),
                directory.resolve(pack + ".keep"));
        for (Path file : abandoned) {
            Files.writeString(file, "fetch-pack 42 on somewhere\n");
        }
        Path kept = Files.writeString(directory.resolve("pack-" + "1".repeat(40) + ".keep"), "kept by hand\n");
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            ledger.collectGarbage(Progress.UNSEEN);
        }
        assertThat(abandoned).allSatisfy(file -> assertThat(file).exists());

        collectGarbageAfterTheGracePeriod();
        assertThat(abandoned).allSatisfy(file -> assertThat(file).doesNotExist());
        assertThat(kept).exists();
        judge();
    }

    @Test
    void verification_gc_and_clone_report_progress() throws IOException {
        List<String> told = new ArrayList<>();
        Progress progress = (what, done, of) -> told.add(what + (done == of ? " whole" : ""));
        Trust trust = Trust.in(rootKey);
        Verifier.verify(repository, trust, Verifier.Depth.DEEP, progress::report);
        assertThat(told).contains("objects", "objects whole", "commits", "commits whole");
        told.clear();
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            ledger.collectGarbage(progress);
        }
        assertThat(told).contains("objects", "objects whole");
        told.clear();
        Path copy = scratch.resolve("copy.git");
        Clone clone = Ledger.cloneFrom(repository.toString(), copy, trust, LedgerOptions.defaults(), progress);
        ((Clone.Cloned) clone).ledger().close();
        assertThat(told).contains("objects", "objects whole", "commits", "commits whole");
    }

    @Test
    void a_bundle_is_a_repository_in_one_file() throws IOException {
        Path bundle = scratch.resolve("books.bundle");
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            ledger.bundle(bundle);
            assertThatThrownBy(() -> ledger.bundle(bundle)).isInstanceOf(IOException.class);
        }
        Native.git(repository, "bundle", "verify", bundle.toString());
        Path clone = scratch.resolve("from-bundle.git");
        Native.git(scratch, "clone", "-q", "--bare", "-b", "main", bundle.toString(), clone.toString());
        assertThat(Verifier.verify(clone, Trust.in(rootKey), Verifier.Depth.DEEP)
                        .findings())
                .isEmpty();
    }

    @Test
    void unfinished_files_of_a_dead_process_are_removed() throws IOException {
        Path pack = repository.resolve("objects/pack/tmp_pack-0123");
        Path join = repository.resolve("objects/pack/tmp_join42");
        Files.writeString(pack, "half");
        Files.writeString(join, "half");
        Ledger.open(repository, LedgerOptions.defaults()).close();
        assertThat(pack).doesNotExist();
        assertThat(join).doesNotExist();
    }

    private List<Path> packs() throws IOException {
        try (var files = Files.list(repository.resolve("objects/pack"))) {
            return files.filter(file -> file.toString().endsWith(".pack")).toList();
        }
    }

    private void judge() throws IOException {
        assertThat(Verifier.verify(repository, Trust.in(rootKey), Verifier.Depth.DEEP)
                        .findings())
                .isEmpty();
        Native.accepts(repository, scratch);
    }

    /** By the clock of the file system. */
    private void collectGarbageAfterTheGracePeriod() throws IOException {
        Instant written =
                Files.getLastModifiedTime(repository.resolve("objects/pack")).toInstant();
        Instant later = written.plus(Duration.ofDays(15));
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults().withClock(() -> later))) {
            ledger.collectGarbage(Progress.UNSEEN);
        }
    }
}
