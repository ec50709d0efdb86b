package dev.tallystick.log.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Seeded.class)
class KeyMapTest {

    @TempDir
    Path scratch;

    @Test
    void a_thousand_keys_are_present_and_a_thousand_absent(Randomness random) throws IOException {
        List<MapLeaf> leaves = new ArrayList<>();
        try (KeyMap map = KeyMap.create(scratch.resolve("map"))) {
            for (int batch = 0; leaves.size() < 1_000; batch++) {
                List<MapLeaf> more = leaves(leaves.size(), Math.min(1 + random.nextInt(200), 1_000 - leaves.size()));
                leaves.addAll(more);
                map.append(map.insertion(batch, more));
                assertThat(map.version().root()).isEqualTo(naive(leaves, 0));
            }
            Hash root = map.version().root();
            for (MapLeaf leaf : leaves) {
                assertThat(map.prove(leaf.tag()).check(leaf.tag(), root))
                        .contains(new MapProof.Shown.Present(leaf.commitment()));
            }
            for (MapLeaf other : leaves(1_000, 1_000)) {
                MapProof proof = map.prove(other.tag());
                assertThat(proof.check(other.tag(), root)).contains(new MapProof.Shown.Absent());
                assertThat(proof.check(other.tag(), Hash.EMPTY_TREE)).isEmpty();
            }
        }
    }

    @Test
    void a_proof_for_another_tag_or_with_a_changed_sibling_shows_nothing() throws IOException {
        List<MapLeaf> leaves = leaves(0, 50);
        try (KeyMap map = KeyMap.create(scratch.resolve("map"))) {
            map.append(map.insertion(1, leaves));
            Hash root = map.version().root();
            Hash tag = leaves.getFirst().tag();
            MapProof proof = map.prove(tag);
            for (int i = 0; i < proof.siblings().size(); i++) {
                List<Hash> changed = new ArrayList<>(proof.siblings());
                changed.set(i, Hash.EMPTY_TREE);
                assertThat(new MapProof(changed, proof.leaf()).check(tag, root)).isEmpty();
            }
            assertThat(new MapProof(proof.siblings(), null).check(tag, root)).isEmpty();
            assertThat(leaves.stream().skip(1))
                    .allSatisfy(other -> assertThat(proof.check(other.tag(), root))
                            .satisfiesAnyOf(
                                    shown -> assertThat(shown).isEmpty(),
                                    shown -> assertThat(other.tag().commonBits(tag))
                                            .isGreaterThanOrEqualTo(
                                                    proof.siblings().size())));
        }
    }

    @Test
    void the_order_of_insertion_does_not_matter(Randomness random) throws IOException {
        List<MapLeaf> leaves = leaves(0, 100);
        try (KeyMap one = KeyMap.create(scratch.resolve("one"));
                KeyMap two = KeyMap.create(scratch.resolve("two"))) {
            one.append(one.insertion(1, leaves));
            int size = 0;
            for (MapLeaf leaf : random.shuffled(leaves)) {
                two.append(two.insertion(++size, List.of(leaf)));
            }
            assertThat(two.version().root()).isEqualTo(one.version().root());
            assertThatThrownBy(() -> two.insertion(999, List.of(leaves.get(3))))
                    .isInstanceOf(DuplicateTagException.class);
        }
    }

    @Test
    void a_map_is_opened_at_the_size_of_the_log_and_what_follows_is_cut_off() throws IOException {
        Path file = scratch.resolve("map");
        Hash root;
        try (KeyMap map = KeyMap.create(file)) {
            map.append(map.insertion(10, leaves(0, 20)));
            root = map.version().root();
            map.append(map.insertion(20, leaves(20, 20)));
        }
        assertThat(KeyMap.open(file, 15, root, 20)).isEmpty();
        try (KeyMap map = KeyMap.open(file, 10, root, 20).orElseThrow()) {
            map.append(map.insertion(30, leaves(40, 5)));
            assertThat(map.prove(leaves(21, 1).getFirst().tag())
                            .check(leaves(21, 1).getFirst().tag(), map.version().root()))
                    .contains(new MapProof.Shown.Absent());
        }
    }

    @Test
    void a_compacted_map_has_the_same_root_and_proofs() throws IOException {
        try (KeyMap map = KeyMap.create(scratch.resolve("map"))) {
            for (int i = 0; i < 200; i++) {
                map.append(map.insertion(i + 1, leaves(i, 1)));
            }
            try (KeyMap compact = map.compactInto(scratch.resolve("compact"))) {
                assertThat(compact.version().root()).isEqualTo(map.version().root());
                for (MapLeaf leaf : leaves(0, 400)) {
                    assertThat(compact.prove(leaf.tag())).isEqualTo(map.prove(leaf.tag()));
                }
                compact.append(compact.insertion(500, leaves(200, 50)));
            }
            assertThat(scratch.resolve("compact").toFile().length())
                    .isLessThan(scratch.resolve("map").toFile().length());
        }
    }

    private static List<MapLeaf> leaves(int first, int count) {
        List<MapLeaf> leaves = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            Hash tag = Hash.sha256(("tag " + i).getBytes(java.nio.charset.StandardCharsets.UTF_8));
            leaves.add(new MapLeaf(tag, Hash.leaf(tag.bytes())));
        }
        return leaves;
    }

    /** The definition of the tree, written down. */
    private static Hash naive(List<MapLeaf> leaves, int depth) {
        if (leaves.isEmpty()) {
            return MapLeaf.ABSENT;
        }
        if (leaves.size() == 1) {
            return leaves.getFirst().hash();
        }
        return MapLeaf.node(
                naive(leaves.stream().filter(leaf -> !leaf.tag().bit(depth)).toList(), depth + 1),
                naive(leaves.stream().filter(leaf -> leaf.tag().bit(depth)).toList(), depth + 1));
    }
}
