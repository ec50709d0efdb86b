package dev.tallystick.ledger.git;

import java.util.Arrays;
import java.util.zip.Adler32;

/**
 * An uncompressed entry of a pack: zlib's frame (RFC 1950) around stored blocks (RFC 1951). Written by hand, because a
 * {@link java.util.zip.Deflater} clears its tables for every entry, which takes longer than all the rest.
 */
final class StoredEntry {

    private static final int LARGEST_BLOCK = 0xffff;
    private static final int BLOCK_HEADER = 5;
    private static final int FRAME = 6;
    private static final int LONGEST_LENGTH = 10;

    private StoredEntry() {}

    static byte[] of(ObjectType type, byte[] content) {
        int blocks = Math.max(1, (content.length + LARGEST_BLOCK - 1) / LARGEST_BLOCK);
        byte[] entry = new byte[LONGEST_LENGTH + FRAME + blocks * BLOCK_HEADER + content.length];
        int size = PackBuilder.putTypeAndLength(entry, type, content.length);
        entry[size++] = 0x78;
        entry[size++] = 0x01;
        int from = 0;
        for (int block = 1; block <= blocks; block++) {
            int length = Math.min(LARGEST_BLOCK, content.length - from);
            entry[size++] = (byte) (block == blocks ? 1 : 0);
            entry[size++] = (byte) length;
            entry[size++] = (byte) (length >>> 8);
            entry[size++] = (byte) ~length;
            entry[size++] = (byte) (~length >>> 8);
            System.arraycopy(content, from, entry, size, length);
            size += length;
            from += length;
        }
        Adler32 checksum = new Adler32();
        checksum.update(content);
        Bytes.putInt32(entry, size, (int) checksum.getValue());
        return Arrays.copyOf(entry, size + Integer.BYTES);
    }
}
