package dev.tallystick.ledger.git;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs that come and go while writers and readers use them. */
class PacksTest {

    private static final StreamId STREAM = StreamId.of("packs", "doc");

    @TempDir
    Path scratch;

    private Path repository;
    private Path packs;

    @BeforeEach
    void init() throws IOException {
        repository = scratch.resolve("ledger.git");
        packs = repository.resolve("objects/pack");
        Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults()).close();
    }

    @AfterEach
    void judge() {
        Native.accepts(repository, scratch);
    }

    @Test
    void a_pack_that_is_joined_as_soon_as_it_has_its_name_is_not_a_failure() throws IOException {
        AtomicInteger joins = new AtomicInteger();
        CrashPoints joining = point -> {
            if (point == LedgerCrashPoint.PACK_NAMED) {
                replaceAllPacks(joins.incrementAndGet());
            }
        };
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults().withCrashPoints(joining))) {
            TxHash head = TxHash.NONE;
            for (int version = 1; version <= 5; version++) {
                head = done(ledger, put(STREAM, head, Integer.toString(version)));
                assertThat(ledger.read(STREAM).head()).isEqualTo(head);
            }
        }
        assertThat(joins).hasValue(5);
    }

    @Test
    void a_reader_finds_what_was_moved_to_another_pack() throws IOException {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            done(ledger, put(STREAM, TxHash.NONE, "1"));
        }
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"))) {
            int round = 0;
            for (Oid id : objects(store)) {
                replaceAllPacks(++round);
                assertThat(store.read(id).id()).isEqualTo(id);
            }
            assertThat(round).isGreaterThan(5);
        }
    }

    @Test
    void an_index_without_its_pack_is_passed_over() throws IOException {
        Files.writeString(packs.resolve("pack-" + "0".repeat(40) + ".idx"), "left by a crash");
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            done(ledger, put(STREAM, TxHash.NONE, "1"));
        }
        Files.delete(packs.resolve("pack-" + "0".repeat(40) + ".idx"));
    }

    @Test
    void an_index_points_beyond_two_gigabytes() throws IOException {
        PackIndex index = new PackIndex();
        List<Long> offsets = List.of(12L, (1L << 31) - 1, 1L << 31, 5L << 32);
        for (long offset : offsets) {
            index.add(
                    Oid.of(ObjectType.BLOB, Long.toString(offset).getBytes(java.nio.charset.StandardCharsets.US_ASCII)),
                    offset,
                    7);
        }
        Path file = scratch.resolve("large.idx");
        Files.write(file, index.bytes(new byte[Oid.BYTES]));
        String shown = Native.run(scratch, java.util.Map.of(), "sh", "-c", "git show-index < " + file)
                .output();
        assertThat(shown.lines().map(line -> Long.parseLong(line.split(" ", 2)[0])))
                .containsExactlyInAnyOrderElementsOf(offsets);
    }

    /** Renames each pack, as if its objects had been copied into another pack and it had been removed. */
    private void replaceAllPacks(int round) {
        try (var files = Files.list(packs)) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".idx"))
                    .map(name -> name.substring(0, name.length() - ".idx".length()))
                    .sorted()
                    .toList();
            for (int i = 0; i < names.size(); i++) {
                String other = "pack-" + "%040x".formatted(round * 1_000 + i);
                Files.move(packs.resolve(names.get(i) + ".pack"), packs.resolve(other + ".pack"));
                Files.move(packs.resolve(names.get(i) + ".idx"), packs.resolve(other + ".idx"));
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static List<Oid> objects(ObjectStore store) throws IOException {
        List<Oid> ids = new ArrayList<>();
        for (Pack pack : store.packs()) {
            for (int i = 0; i < pack.count(); i++) {
                ids.add(pack.idAt(i));
            }
        }
        return ids;
    }
}
