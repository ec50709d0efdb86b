package dev.tallystick.ledger.verifier.git;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The index of a pack (version 2): names in order, each with the checksum and offset of its object. Stays in the file, which
 * is mapped: of a large ledger the indexes alone would fill the memory. Thread-safe.
 */
final class PackIndexFile {

    private static final int HASH = 20;
    private static final int FANOUT_AT = 8;
    private static final int NAMES_AT = FANOUT_AT + 256 * 4;

    private final MappedByteBuffer index;
    private final int count;

    PackIndexFile(Path file) throws IOException, Unsound {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() > Integer.MAX_VALUE) {
                throw new Unsound("the index is larger than 2 GiB");
            }
            this.index = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
        int size = index.limit();
        boolean known = size >= NAMES_AT + 2 * HASH && index.getInt(0) == 0xff744f63 && index.getInt(4) == 2;
        this.count = known ? fanout(255) : -1;
        if (count < 0 || size < NAMES_AT + 2L * HASH + count * (HASH + 8L)) {
            throw new Unsound("the index is not one");
        }
    }

    int count() {
        return count;
    }

    /** The number of the object with this id, or -1 if it is not here. */
    int find(byte[] id) {
        ByteBuffer wanted = ByteBuffer.wrap(id);
        long head = wanted.getLong(0);
        int first = id[0] & 0xff;
        int low = first == 0 ? 0 : Math.clamp(fanout(first - 1), 0, count);
        int high = Math.clamp(fanout(first), 0, count) - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int at = nameAt(middle);
            int order = Long.compareUnsigned(index.getLong(at), head);
            order = order != 0 ? order : Long.compareUnsigned(index.getLong(at + 8), wanted.getLong(8));
            order = order != 0 ? order : Integer.compareUnsigned(index.getInt(at + 16), wanted.getInt(16));
            if (order == 0) {
                return middle;
            }
            low = order < 0 ? middle + 1 : low;
            high = order > 0 ? middle - 1 : high;
        }
        return -1;
    }

    long offset(int number) throws Unsound {
        int small = index.getInt(NAMES_AT + count * (HASH + 4) + number * 4);
        if (small >= 0) {
            return small;
        }
        long at = NAMES_AT + count * (HASH + 8L) + (small & Integer.MAX_VALUE) * 8L;
        if (at + 8 > index.limit() - 2 * HASH) {
            throw new Unsound("the index points outside itself");
        }
        return index.getLong((int) at);
    }

    int crc(int number) {
        return index.getInt(NAMES_AT + count * HASH + number * 4);
    }

    /** Checks the index as a whole, given the checksum of the pack that it belongs to. */
    void audit(byte[] packChecksum) throws Unsound {
        byte[] trailer = new byte[2 * HASH];
        int end = index.limit() - trailer.length;
        index.get(end, trailer);
        if (!Arrays.equals(trailer, 0, HASH, packChecksum, 0, HASH)) {
            throw new Unsound("the index belongs to another pack");
        }
        MessageDigest sha1 = Hashes.sha1();
        sha1.update(index.slice(0, end + HASH));
        if (!Arrays.equals(trailer, HASH, 2 * HASH, sha1.digest(), 0, HASH)) {
            throw new Unsound("the index's checksum is wrong");
        }
        int[] first = new int[256];
        byte[] name = new byte[HASH];
        byte[] before = new byte[HASH];
        for (int i = 0; i < count; i++) {
            index.get(nameAt(i), name);
            if (i > 0 && Arrays.compareUnsigned(before, name) >= 0) {
                throw new Unsound("the index is not in order");
            }
            first[name[0] & 0xff]++;
            System.arraycopy(name, 0, before, 0, HASH);
        }
        int sum = 0;
        for (int i = 0; i < first.length; i++) {
            sum += first[i];
            if (fanout(i) != sum) {
                throw new Unsound("the index counts its objects wrongly");
            }
        }
    }

    private int fanout(int firstByte) {
        return index.getInt(FANOUT_AT + firstByte * 4);
    }

    private static int nameAt(int number) {
        return NAMES_AT + number * HASH;
    }
}
