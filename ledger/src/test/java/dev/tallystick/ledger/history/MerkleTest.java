package dev.tallystick.ledger.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Digests;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tree of RFC 6962, compared with the definition there: a tree splits at the largest power of two below its size. */
class MerkleTest {

    @Test
    void the_root_of_nothing_is_the_hash_of_nothing() {
        assertThat(Merkle.root(List.of()))
                .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    @Test
    void roots_are_those_of_the_definition() {
        for (int size = 1; size <= 33; size++) {
            List<Leaf> leaves = leaves(size);
            String expected = HexFormat.of()
                    .formatHex(defined(leaves.stream().sorted().map(Leaf::raw).toList()));
            assertThat(Merkle.root(leaves)).as("%d leaves", size).isEqualTo(expected);
        }
    }

    @Test
    void each_path_leads_from_its_leaf_to_the_root() throws Exception {
        for (int size = 1; size <= 17; size++) {
            List<Leaf> leaves = leaves(size);
            for (Leaf leaf : leaves) {
                byte[] at = leaf.raw();
                for (Merkle.Step step : Merkle.path(leaves, leaf)) {
                    byte[] sibling = HexFormat.of().parseHex(step.sibling());
                    at = step.siblingIsLeft() ? node(sibling, at) : node(at, sibling);
                }
                assertThat(HexFormat.of().formatHex(at)).as("%d leaves", size).isEqualTo(Merkle.root(leaves));
            }
        }
    }

    @Test
    void a_leaf_that_is_not_there_has_no_path() {
        assertThatThrownBy(() -> Merkle.path(leaves(3), Leaf.of("other", new byte[0])))
                .isInstanceOf(DamagedObjectException.class);
    }

    private static List<Leaf> leaves(int size) {
        List<Leaf> leaves = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            leaves.add(Leaf.of("f" + i, new byte[] {(byte) i}));
        }
        return leaves;
    }

    private static byte[] defined(List<byte[]> leaves) {
        if (leaves.size() == 1) {
            return leaves.getFirst();
        }
        int half = Integer.highestOneBit(leaves.size() - 1);
        return node(defined(leaves.subList(0, half)), defined(leaves.subList(half, leaves.size())));
    }

    private static byte[] node(byte[] left, byte[] right) {
        MessageDigest sha256 = Digests.sha256();
        sha256.update((byte) 1);
        sha256.update(left);
        return sha256.digest(right);
    }
}
