package dev.tallystick.ledger.verifier;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Commits by number, in the order in which they were added: 28 bytes each, because a history has many. */
final class CommitIds {

    private static final int ID = 20;

    private byte[] ids = new byte[64 * ID];
    private int size;

    /** Numbers plus one, by hash; zero where there is none. At least half of it is empty. */
    private int[] table = new int[256];

    int size() {
        return size;
    }

    String id(int number) {
        return HexFormat.of().formatHex(ids, number * ID, (number + 1) * ID);
    }

    /** The number of a commit, or -1 if it was not added. */
    int find(String id) {
        byte[] wanted = HexFormat.of().parseHex(id);
        return table[slot(wanted)] - 1;
    }

    /** Adds a commit that is not there yet; returns its number. */
    int add(String id) {
        byte[] wanted = HexFormat.of().parseHex(id);
        if (2 * size >= table.length) {
            grow();
        }
        if ((size + 1) * ID > ids.length) {
            ids = Arrays.copyOf(ids, Math.multiplyExact(ids.length / 2, 3) / ID * ID);
        }
        System.arraycopy(wanted, 0, ids, size * ID, ID);
        table[slot(wanted)] = ++size;
        return size - 1;
    }

    private void grow() {
        table = new int[Math.multiplyExact(table.length, 2)];
        for (int number = 0; number < size; number++) {
            table[slot(Arrays.copyOfRange(ids, number * ID, (number + 1) * ID))] = number + 1;
        }
    }

    /** Where this id is, or belongs. Ids that hash alike cost their maker as much as us: they are digests. */
    private int slot(byte[] id) {
        int at = ByteBuffer.wrap(id).getInt(0) & (table.length - 1);
        while (table[at] != 0 && !is(table[at] - 1, id)) {
            at = (at + 1) & (table.length - 1);
        }
        return at;
    }

    private boolean is(int number, byte[] id) {
        return Arrays.equals(ids, number * ID, (number + 1) * ID, id, 0, ID);
    }
}
