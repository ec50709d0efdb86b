package dev.tallystick.log.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Against the vectors that implementations of RFC 6962 share, and against the definition of the RFC written down naively. */
@ExtendWith(Seeded.class)
class MerkleProofsTest {

    private static final List<byte[]> INPUTS = List.of(
            hex(""),
            hex("00"),
            hex("10"),
            hex("2021"),
            hex("3031"),
            hex("40414243"),
            hex("5051525354555657"),
            hex("606162636465666768696a6b6c6d6e6f"));

    private static final List<String> ROOTS = List.of(
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");

    @Test
    void the_roots_are_those_of_the_shared_vectors() {
        assertThat(Hash.EMPTY_TREE.hex()).isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        for (int size = 1; size <= INPUTS.size(); size++) {
            assertThat(MerkleProofs.root(INPUTS.subList(0, size)).hex()).isEqualTo(ROOTS.get(size - 1));
        }
    }

    @Test
    void every_proof_of_small_trees_verifies_and_no_changed_one_does() throws IOException {
        for (int size = 1; size <= 40; size++) {
            List<byte[]> entries = entries(size);
            Subtrees subtrees = naive(entries);
            Hash root = naiveRoot(entries);
            assertThat(MerkleProofs.root(size, subtrees)).isEqualTo(root);
            for (int index = 0; index < size; index++) {
                List<Hash> proof = MerkleProofs.inclusion(index, size, subtrees);
                Hash leaf = Hash.leaf(entries.get(index));
                assertThat(proof).isEqualTo(naivePath(index, entries));
                assertThat(MerkleProofs.includes(root, size, index, leaf, proof))
                        .isTrue();
                assertThat(MerkleProofs.includes(root, size, index + 1, leaf, proof))
                        .isFalse();
                assertThat(MerkleProofs.includes(root, size, index, Hash.EMPTY_TREE, proof))
                        .isFalse();
                int at = index;
                assertThat(changes(proof))
                        .noneMatch(wrong -> MerkleProofs.includes(root, entries.size(), at, leaf, wrong));
            }
        }
    }

    @Test
    void old_trees_are_the_beginning_of_new_ones_and_forks_are_not() throws IOException {
        for (int size = 1; size <= 40; size++) {
            Subtrees subtrees = naive(entries(size));
            Hash root = naiveRoot(entries(size));
            for (int old = 0; old <= size; old++) {
                List<Hash> proof = MerkleProofs.consistency(old, size, subtrees);
                Hash oldRoot = naiveRoot(entries(old));
                assertThat(MerkleProofs.consistent(old, oldRoot, size, root, proof))
                        .isTrue();
                if (old > 0) {
                    assertThat(MerkleProofs.consistent(old, Hash.EMPTY_TREE, size, root, proof))
                            .isFalse();
                    assertThat(MerkleProofs.consistent(old, oldRoot, size, Hash.EMPTY_TREE, proof))
                            .isFalse();
                    int older = old;
                    int newer = size;
                    assertThat(changes(proof))
                            .noneMatch(wrong -> MerkleProofs.consistent(older, oldRoot, newer, root, wrong));
                }
            }
        }
    }

    @Test
    void the_right_edge_appends_like_the_whole_tree(Randomness random) throws IOException {
        RightEdge edge = RightEdge.EMPTY;
        List<byte[]> entries = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] entry = new byte[random.nextInt(5)];
            random.nextBytes(entry);
            entries.add(entry);
            edge = edge.append(Hash.leaf(entry));
            assertThat(edge.root()).isEqualTo(naiveRoot(entries));
        }
        assertThat(RightEdge.read(300, naive(entries))).isEqualTo(edge);
    }

    @Test
    void tile_paths_are_those_of_the_specification() {
        assertThat(new TilePath(0, 1234067, 256).path()).isEqualTo("tile/0/x001/x234/067");
        assertThat(new TilePath(TilePath.ENTRIES, 0, 7).path()).isEqualTo("tile/entries/000.p/7");
        assertThat(TilePath.parse("tile/1/x001/x234/067.p/1")).contains(new TilePath(1, 1234067, 1));
        assertThat(List.of(
                        "tile/01/000",
                        "tile/0/000.p/256",
                        "tile/0/000.p/0",
                        "tile/0/x000/001",
                        "tile/0/1",
                        "tile/64/000",
                        "tile/0/../000"))
                .allMatch(path -> TilePath.parse(path).isEmpty());
        assertThat(TilePath.ofLevel(0, 0, 70_000)).hasSize(274).last().isEqualTo(new TilePath(0, 273, 112));
        assertThat(TilePath.ofLevel(1, 0, 70_000)).containsExactly(new TilePath(1, 0, 256), new TilePath(1, 1, 17));
        assertThat(TilePath.ofLevel(2, 0, 70_000)).containsExactly(new TilePath(2, 0, 1));
    }

    private static List<List<Hash>> changes(List<Hash> proof) {
        List<List<Hash>> changed = new ArrayList<>();
        for (int i = 0; i < proof.size(); i++) {
            List<Hash> wrong = new ArrayList<>(proof);
            wrong.set(i, Hash.EMPTY_TREE);
            changed.add(wrong);
            List<Hash> shorter = new ArrayList<>(proof);
            shorter.remove(i);
            changed.add(shorter);
        }
        List<Hash> longer = new ArrayList<>(proof);
        longer.add(Hash.EMPTY_TREE);
        changed.add(longer);
        return changed;
    }

    private static List<byte[]> entries(int size) {
        List<byte[]> entries = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            entries.add(new byte[] {(byte) i, 1});
        }
        return entries;
    }

    private static Subtrees naive(List<byte[]> entries) {
        return (level, index) -> naiveRoot(entries.subList((int) (index << level), (int) ((index + 1) << level)));
    }

    private static Hash naiveRoot(List<byte[]> entries) {
        if (entries.isEmpty()) {
            return Hash.EMPTY_TREE;
        }
        if (entries.size() == 1) {
            return Hash.leaf(entries.getFirst());
        }
        int split = split(entries.size());
        return Hash.node(naiveRoot(entries.subList(0, split)), naiveRoot(entries.subList(split, entries.size())));
    }

    private static List<Hash> naivePath(int index, List<byte[]> entries) {
        if (entries.size() == 1) {
            return new ArrayList<>();
        }
        int split = split(entries.size());
        List<byte[]> left = entries.subList(0, split);
        List<byte[]> right = entries.subList(split, entries.size());
        List<Hash> path = index < split ? naivePath(index, left) : naivePath(index - split, right);
        path.add(naiveRoot(index < split ? right : left));
        return path;
    }

    private static int split(int size) {
        int split = 1;
        while (split * 2 < size) {
            split *= 2;
        }
        return split;
    }

    private static byte[] hex(String hex) {
        return HexFormat.of().parseHex(hex);
    }
}
