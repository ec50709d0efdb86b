package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.delete;
import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.patch;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does to a small ledger whatever can be done to it, and demands that verification with anchor and root key sees it. */
class TamperingTest {

    private static final List<StreamId> STREAMS =
            List.of(StreamId.of("orders", "o-1"), StreamId.of("orders", "o-2"), StreamId.of("notes", "n"));
    private static final int SAMPLE = 150;

    @TempDir
    Path scratch;

    private Path repository;
    private Trust trust;
    private Map<StreamId, List<LogEntry>> answers;

    /** One part packed by native git with deltas, one part in packs of ours, one part loose; a ref in two places. */
    @BeforeEach
    void write_a_small_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        SigningKey root = SigningKey.generate();
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            TxHash order = done(ledger, put(STREAMS.get(0), TxHash.NONE, "{\"n\":1,\"text\":\"some text\"}"));
            done(ledger, patch(STREAMS.get(0), order, "[{\"op\":\"add\",\"path\":\"/m\",\"value\":2}]"));
            TxHash note = done(ledger, put(STREAMS.get(2), TxHash.NONE, "\"a note\""));
            Native.git(repository, "repack", "-a", "-d", "-q");
            Native.git(repository, "pack-refs", "--all");
            ledger.putSchema(new Collection("orders"), Json.parse("{\"type\":\"object\"}"));
            ledger.rotateKey(SigningKey.generate());
            done(ledger, put(STREAMS.get(1), TxHash.NONE, "{}"));
            foreignCommit();
            done(ledger, delete(STREAMS.get(2), note));
            Anchored head = ledger.head();
            trust = Trust.in(root.publicKey().line()).anchoredAt(head.position(), head.root());
        }
        answers = answers();
        assertThat(verify().findings()).isEmpty();
        Native.accepts(repository, scratch);
    }

    @Test
    void a_flipped_bit_is_seen_wherever_it_is() throws IOException {
        List<Place> bits = places(8);
        Random random = new Random(42);
        for (int i = 0; i < SAMPLE; i++) {
            flip(bits.get(random.nextInt(bits.size())));
        }
        for (String small : List.of("HEAD", "refs/heads/main")) {
            byte[] bytes = Files.readAllBytes(repository.resolve(small));
            for (int bit = 0; bit < bytes.length * 8; bit += 5) {
                flip(new Place(repository.resolve(small), bit));
            }
        }
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
    }

    @Test
    void a_file_cut_short_is_seen() throws IOException {
        List<Place> lengths = places(1);
        Random random = new Random(43);
        for (int i = 0; i < SAMPLE / 3; i++) {
            cut(lengths.get(random.nextInt(lengths.size())));
        }
    }

    @Test
    @Tag("campaign")
    void a_file_cut_at_any_length_is_seen() throws IOException {
        for (Place length : places(1)) {
            cut(length);
        }
    }

    @Test
    void swapped_objects_are_seen() throws IOException {
        List<Path> loose = files().stream()
                .filter(file -> file.toString().matches(".*/objects/../.{38}"))
                .toList();
        assertThat(loose).hasSizeGreaterThan(1);
        for (int i = 1; i < loose.size(); i++) {
            byte[] one = Files.readAllBytes(loose.get(i - 1));
            byte[] other = Files.readAllBytes(loose.get(i));
            overwrite(loose.get(i - 1), other);
            overwrite(loose.get(i), one);
            assertThat(verify().findings()).extracting(Finding::kind).contains(Finding.Kind.OBJECT);
            overwrite(loose.get(i - 1), one);
            overwrite(loose.get(i), other);
        }
    }

    @Test
    void a_ref_rolled_back_is_seen() throws IOException {
        for (String earlier :
                Native.git(repository, "rev-list", "main").lines().skip(1).toList()) {
            Native.git(repository, "update-ref", "refs/heads/main", earlier);
            assertThat(verify().findings()).extracting(Finding::kind).contains(Finding.Kind.ANCHOR);
            assertThat(Verifier.verify(repository, trust, Verifier.Depth.QUICK).findings())
                    .extracting(Finding::kind)
                    .contains(Finding.Kind.ANCHOR);
        }
    }

    @Test
    void what_makes_git_show_something_else_is_refused() throws IOException {
        String main = Native.git(repository, "rev-parse", "main").strip();
        String parent = Native.git(repository, "rev-parse", "main~1").strip();
        Map<String, String> files = Map.of(
                "objects/info/alternates",
                scratch.resolve("elsewhere").toString() + "\n",
                "info/grafts",
                main + "\n",
                "refs/replace/" + main,
                parent + "\n",
                "shallow",
                main + "\n");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = repository.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
            assertThat(verify().findings()).extracting(Finding::kind).contains(Finding.Kind.REPOSITORY);
            assertThat(org.assertj.core.api.Assertions.catchThrowable(() ->
                            Ledger.open(repository, LedgerOptions.defaults()).close()))
                    .isInstanceOf(NotALedgerException.class);
            Files.delete(path);
            if (file.getKey().startsWith("refs/replace")) {
                Files.delete(path.getParent());
            }
        }
    }

    @Test
    void a_history_that_begins_later_is_seen() throws IOException {
        String tree = Native.git(repository, "rev-parse", "main^{tree}").strip();
        String orphan = Native.git(repository, "commit-tree", tree, "-m", "all that ever was")
                .strip();
        Native.git(repository, "update-ref", "refs/heads/main", orphan);
        assertThat(verify().findings()).isNotEmpty();
    }

    @Test
    void a_history_written_anew_with_another_key_is_seen() throws IOException {
        Path other = scratch.resolve("other.git");
        try (Ledger ledger = Ledger.init(other, SigningKey.generate(), LedgerOptions.defaults())) {
            done(ledger, put(STREAMS.get(0), TxHash.NONE, "{\"n\":1000}"));
        }
        Report report = Verifier.verify(other, Trust.in(trust.rootKey()), Verifier.Depth.DEEP);
        assertThat(report.findings()).extracting(Finding::kind).containsOnly(Finding.Kind.SIGNATURE);
        assertThat(Verifier.verify(other, Trust.nothing(), Verifier.Depth.DEEP).findings())
                .isEmpty();
    }

    @Test
    void a_foreign_commit_that_touches_documents_is_seen_and_not_built_upon() throws IOException {
        Path work = scratch.resolve("work");
        Native.git(scratch, "clone", "-q", repository.toString(), work.toString());
        Path head;
        try (Stream<Path> files = Files.walk(work.resolve("documents"))) {
            head = files.filter(file -> file.endsWith("HEAD")).findFirst().orElseThrow();
        }
        Files.writeString(head, "0".repeat(64) + "\n");
        Native.git(work, "commit", "-q", "-a", "-m", "a small correction");
        Native.git(work, "push", "-q", "origin", "main");

        assertThat(verify().findings()).extracting(Finding::kind).contains(Finding.Kind.HISTORY);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertThat(ledger.append(put(StreamId.of("orders", "o-9"), TxHash.NONE, "{}")))
                    .isInstanceOf(Append.Unavailable.class);
        }
    }

    private void flip(Place place) throws IOException {
        byte[] original = Files.readAllBytes(place.file);
        byte[] changed = original.clone();
        changed[place.at / 8] ^= (byte) (1 << place.at % 8);
        seen(place, original, changed);
    }

    private void cut(Place place) throws IOException {
        byte[] original = Files.readAllBytes(place.file);
        seen(place, original, Arrays.copyOf(original, place.at));
    }

    private void seen(Place place, byte[] original, byte[] changed) throws IOException {
        overwrite(place.file, changed);
        try {
            boolean reported = !verify().findings().isEmpty();
            boolean pack = place.file.toString().contains("/pack-");
            assertThat(reported || (!pack && answers().equals(answers)))
                    .as("%s", place)
                    .isTrue();
        } finally {
            overwrite(place.file, original);
        }
    }

    private record Place(Path file, int at) {}

    private List<Place> places(int perByte) throws IOException {
        List<Place> places = new ArrayList<>();
        for (Path file : files()) {
            long length = Files.size(file) * perByte;
            for (int at = 0; at < length; at++) {
                places.add(new Place(file, at));
            }
        }
        return places;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(repository)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.startsWith(repository.resolve("tally")))
                    .filter(
                            file -> file.toString()
                                    .matches(
                                            ".*/(HEAD|packed-refs|refs/heads/main|objects/../.{38}|objects/pack/pack-.*(pack|idx))"))
                    .sorted()
                    .toList();
        }
    }

    private Report verify() throws IOException {
        return Verifier.verify(repository, trust, Verifier.Depth.DEEP);
    }

    private Map<StreamId, List<LogEntry>> answers() throws IOException {
        Map<StreamId, List<LogEntry>> logs = new TreeMap<>(java.util.Comparator.comparing(StreamId::toString));
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            for (StreamId stream : STREAMS) {
                logs.put(stream, ledger.log(stream, Integer.MAX_VALUE, 100));
            }
        }
        return logs;
    }

    private void foreignCommit() throws IOException {
        Path work = scratch.resolve("foreign");
        Native.git(scratch, "clone", "-q", repository.toString(), work.toString());
        Files.writeString(work.resolve("README"), "somebody else's file\n");
        Native.git(work, "add", "README");
        Native.git(work, "commit", "-q", "-m", "add a readme");
        Native.git(work, "push", "-q", "origin", "main");
    }

    private static void overwrite(Path file, byte[] bytes) throws IOException {
        file.toFile().setWritable(true);
        Files.write(file, bytes);
    }
}
