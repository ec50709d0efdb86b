package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.SmallLedger;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.Deflater;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Flips bits of a small ledger and truncates its files. Verification with anchor and root key reports the damage, or every
 * answer is the same as before; damage to a pack or its index is always reported.
 */
class DamageTest {

    private static final int SAMPLE = 150;

    @TempDir(factory = Memory.class)
    Path scratch;

    private SmallLedger ledger;
    private List<Object> answers;
    private final Map<String, Tally> tallies = new TreeMap<>();

    /** The results of damaging one kind of file. */
    private static final class Tally {
        private int done;
        private int reported;
        private int unchanged;

        @Override
        public String toString() {
            return done + " done, " + reported + " reported, " + unchanged + " changed no answer, "
                    + (done - reported - unchanged) + " missed";
        }
    }

    @BeforeEach
    void write_a_small_ledger() throws IOException {
        ledger = SmallLedger.make(scratch);
        answers = ledger.answers();
    }

    @Test
    void a_flipped_bit_is_seen_wherever_it_is() throws IOException {
        List<Place> bits = places(8);
        Random random = new Random(42);
        for (int i = 0; i < SAMPLE; i++) {
            flip(bits.get(random.nextInt(bits.size())));
        }
        for (String small : List.of("HEAD", "refs/heads/main")) {
            for (Place bit : places(8)) {
                if (bit.file.equals(ledger.repository().resolve(small)) && bit.at % 5 == 0) {
                    flip(bit);
                }
            }
        }
        judge();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    @Tag("campaign")
    void every_flipped_bit_is_seen(int bitOfEachByte) throws IOException {
        for (Place bit : places(8)) {
            if (bit.at % 8 == bitOfEachByte) {
                flip(bit);
            }
        }
        judge();
    }

    @Test
    void a_flipped_bit_of_a_ref_that_is_only_packed_is_seen() throws IOException {
        flipPackedRef(7);
    }

    @Test
    @Tag("campaign")
    void every_flipped_bit_of_a_ref_that_is_only_packed_is_seen() throws IOException {
        flipPackedRef(1);
    }

    private void flipPackedRef(int step) throws IOException {
        Native.git(ledger.repository(), "pack-refs", "--all", "--prune");
        assertThat(ledger.repository().resolve("refs/heads/main")).doesNotExist();
        for (Place bit : places(8)) {
            if (bit.sort().equals("packed-refs") && bit.at % step == 0) {
                flip(bit);
            }
        }
        judge();
    }

    @Test
    void a_file_cut_short_is_seen() throws IOException {
        List<Place> lengths = places(1);
        Random random = new Random(43);
        for (int i = 0; i < SAMPLE / 3; i++) {
            cut(lengths.get(random.nextInt(lengths.size())));
        }
        judge();
    }

    @Test
    @Tag("campaign")
    void a_file_cut_at_any_length_is_seen() throws IOException {
        for (Place length : places(1)) {
            cut(length);
        }
        judge();
    }

    @Test
    @Timeout(60)
    void an_object_that_asks_for_a_dictionary_is_damage_and_no_endless_task() throws IOException {
        byte[] content = "blob 4\0blob".getBytes(US_ASCII);
        Oid id = Oid.of(ObjectType.BLOB, content);
        byte[] entry = withDictionary(content);
        Path objects = ledger.repository().resolve("objects");
        Path loose = objects.resolve(id.toString().substring(0, 2))
                .resolve(id.toString().substring(2));
        Files.createDirectories(loose.getParent());
        Files.write(loose, Arrays.copyOfRange(entry, 1, entry.length));
        assertThat(ledger.verify().findings()).isNotEmpty();
        try (ObjectStore store = new ObjectStore(objects)) {
            assertThatThrownBy(() -> store.read(id)).isInstanceOf(DamagedObjectException.class);
            Files.delete(loose);
            Path temporary = objects.resolve("pack/tmp_join");
            try (FileChannel out =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                PackStream stream = new PackStream(out, 1);
                stream.append(id, entry);
                byte[] checksum = stream.finish();
                store.directory().adopt(temporary, stream.index().bytes(checksum), Oid.at(checksum, 0));
            }
            assertThatThrownBy(() -> store.read(id)).isInstanceOf(DamagedObjectException.class);
        }
        assertThat(ledger.verify().findings()).isNotEmpty();
    }

    /** A pack entry: one byte for type and length, then content that Git would never compress this way. */
    private static byte[] withDictionary(byte[] content) {
        byte[] entry = new byte[256];
        int begin = PackBuilder.putTypeAndLength(entry, ObjectType.BLOB, content.length);
        Deflater deflater = new Deflater();
        deflater.setDictionary("blob".getBytes(US_ASCII));
        deflater.setInput(content);
        deflater.finish();
        int length = deflater.deflate(entry, begin, entry.length - begin);
        deflater.end();
        return Arrays.copyOf(entry, begin + length);
    }

    private void flip(Place place) throws IOException {
        byte[] original = Files.readAllBytes(place.file);
        byte[] changed = original.clone();
        changed[place.at / 8] ^= (byte) (1 << place.at % 8);
        harm(place, original, changed);
    }

    private void cut(Place place) throws IOException {
        byte[] original = Files.readAllBytes(place.file);
        harm(place, original, Arrays.copyOf(original, place.at));
    }

    private void harm(Place place, byte[] original, byte[] changed) throws IOException {
        Tally tally = tallies.computeIfAbsent(place.sort(), sort -> new Tally());
        tally.done++;
        place.file.toFile().setWritable(true);
        Files.write(place.file, changed);
        try {
            if (!ledger.verify().findings().isEmpty()) {
                tally.reported++;
            } else {
                assertThat(place.sort()).as("%s", place).isNotIn("pack", "index");
                assertThat(ledger.answers()).as("%s", place).isEqualTo(answers);
                tally.unchanged++;
            }
        } finally {
            Files.write(place.file, original);
        }
    }

    private void judge() throws IOException {
        tallies.forEach((sort, tally) -> System.out.println(sort + ": " + tally));
        assertThat(ledger.verify().findings()).isEmpty();
    }

    private record Place(Path file, int at) {

        String sort() {
            String name = file.toString();
            if (name.endsWith(".pack")) {
                return "pack";
            }
            if (name.endsWith(".idx")) {
                return "index";
            }
            return name.contains("/objects/")
                    ? "loose object"
                    : file.getFileName().toString();
        }
    }

    private List<Place> places(int perByte) throws IOException {
        List<Place> places = new ArrayList<>();
        for (Path file : ledger.files()) {
            long length = Files.size(file) * perByte;
            for (int at = 0; at < length; at++) {
                places.add(new Place(file, at));
            }
        }
        return places;
    }
}
