package dev.tallystick.ledger.git;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import dev.tallystick.testkit.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefTest {

    private static final StreamId STREAM = StreamId.of("refs", "doc");

    @TempDir
    Path scratch;

    private Path repository;
    private Path main;
    private Path lock;

    @BeforeEach
    void init() throws IOException {
        repository = scratch.resolve("ledger.git");
        main = repository.resolve("refs/heads/main");
        lock = repository.resolve("refs/heads/main.lock");
        try (Ledger ledger = Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults())) {
            done(ledger, put(STREAM, TxHash.NONE, "1"));
        }
    }

    @Test
    void a_ref_that_names_nothing_is_damage_and_not_a_new_ledger() throws IOException {
        for (String content : new String[] {"", "\n", "garbage\n", "0".repeat(39) + "\n", "0".repeat(40)}) {
            Files.writeString(main, content);
            assertThatThrownBy(() -> Ledger.open(repository, LedgerOptions.defaults()))
                    .isInstanceOf(DamagedRefException.class);
            assertThatThrownBy(() -> Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults()))
                    .isInstanceOf(DamagedRefException.class);
            assertThat(Files.readString(main)).isEqualTo(content);
        }
    }

    @Test
    void a_ref_that_vanishes_under_an_open_ledger_makes_it_refuse() throws IOException {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            Files.delete(main);
            assertThat(ledger.append(put(STREAM, TxHash.NONE, "2"))).isInstanceOf(Append.Refused.class);
        }
        assertThat(main).doesNotExist();
    }

    @Test
    void the_lock_of_another_program_is_waited_for() throws Exception {
        Files.createFile(lock);
        Waits waits = new Waits();
        LedgerOptions options = new LedgerOptions(InstantSource.system(), waits, CrashPoints.NONE);
        try (Ledger ledger = Ledger.open(repository, options)) {
            TxHash head = ledger.read(STREAM).head();
            CompletableFuture<Append> append = ledger.submit(put(STREAM, head, "2"));
            waits.thrice.await();
            assertThat(waits.bounds)
                    .as("of the time until the next attempt")
                    .containsOnly(Duration.ofMillis(10) + " to " + Duration.ofMillis(100));
            assertThat(append).isNotDone();
            assertThat(lock).exists();
            Files.delete(lock);
            assertThat(append.get()).isInstanceOf(Append.Appended.class);
        }
    }

    /** Records the bounds of all requested random waits. */
    private static final class Waits implements RandomGenerator {

        private final Signal thrice = new Signal("a third wait");
        private final List<String> bounds = Collections.synchronizedList(new ArrayList<>());

        @Override
        public long nextLong() {
            return 0;
        }

        @Override
        public long nextLong(long origin, long bound) {
            bounds.add(Duration.ofNanos(origin) + " to " + Duration.ofNanos(bound));
            if (bounds.size() == 3) {
                thrice.fire();
            }
            return origin;
        }
    }

    @Test
    void a_lock_that_looks_like_ours_but_is_another_file_is_respected() throws Exception {
        // What a killed append leaves, except that the file is not the claimed one.
        String claimed =
                Files.readString(repository.resolve("tally/main.claim")).strip().split(" ", 2)[1];
        Files.writeString(lock, claimed + "\n");
        Ref ref = Ref.main(repository, CrashPoints.NONE);
        ref.removeLeftOverLock();
        assertThat(lock).exists();
        assertThat(ref.compareAndSet(ref.read().orElseThrow(), Oid.parse(claimed)))
                .isEqualTo(Ref.Move.LOCKED);
    }

    @Test
    void a_ref_is_found_where_native_git_packs_it() throws IOException {
        TxHash head;
        Native.git(repository, "branch", "cafe", "main");
        Native.git(repository, "pack-refs", "--all", "--prune");
        Path packed = repository.resolve("packed-refs");
        Files.writeString(packed, Files.readString(packed).replace("cafe", "caf\u00e9"));
        assertThat(main).doesNotExist();
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            head = done(ledger, put(STREAM, ledger.read(STREAM).head(), "2"));
            assertThat(ledger.read(STREAM).head()).isEqualTo(head);
            assertThat(ledger.collectGarbage(Progress.UNSEEN)).isPositive();
        }
        Native.accepts(repository, scratch);
    }

    @Test
    void a_torn_object_is_never_shown() throws IOException {
        try (var packs = Files.list(repository.resolve("objects/pack"))) {
            for (Path pack :
                    packs.filter(file -> file.toString().endsWith(".pack")).toList()) {
                byte[] bytes = Files.readAllBytes(pack);
                Path torn = scratch.resolve("torn");
                Files.write(torn, java.util.Arrays.copyOf(bytes, bytes.length / 2));
                Files.move(torn, pack, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertThatThrownBy(() -> ledger.read(STREAM)).isInstanceOf(DamagedObjectException.class);
            assertThat(ledger.append(put(STREAM, TxHash.NONE, "2"))).isInstanceOf(Append.Refused.class);
        }
    }

    @Test
    void a_repository_of_another_object_format_is_refused() {
        Path other = scratch.resolve("sha256.git");
        Native.git(scratch, "init", "-q", "--bare", "--object-format=sha256", other.toString());
        assertThatThrownBy(() -> Ledger.init(other, SigningKey.generate(), LedgerOptions.defaults()))
                .isInstanceOf(NotALedgerException.class);
        assertThatThrownBy(() -> Ledger.open(other, LedgerOptions.defaults())).isInstanceOf(NotALedgerException.class);
    }
}
