package dev.tallystick.log.tree;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A bundle: up to 256 entries, each after its length in two bytes. */
public final class EntryBundle {

    /** What two bytes can count. */
    public static final int LONGEST_ENTRY = 0xffff;

    private EntryBundle() {}

    public static byte[] encode(List<byte[]> entries) {
        if (entries.size() > TilePath.FULL) {
            throw new IllegalArgumentException("a bundle has at most 256 entries, not " + entries.size());
        }
        ByteBuffer out = ByteBuffer.allocate(
                entries.stream().mapToInt(entry -> Short.BYTES + entry.length).sum());
        for (byte[] entry : entries) {
            if (entry.length > LONGEST_ENTRY) {
                throw new IllegalArgumentException("an entry has at most 65,535 bytes, not " + entry.length);
            }
            out.putShort((short) entry.length).put(entry);
        }
        return out.array();
    }

    /**
     * Reads a bundle.
     *
     * @throws IllegalArgumentException if the bytes are not whole entries, or more than 256
     */
    public static List<byte[]> decode(byte[] bundle) {
        List<byte[]> entries = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(bundle);
        while (in.hasRemaining()) {
            if (entries.size() == TilePath.FULL) {
                throw new IllegalArgumentException("a bundle has more than 256 entries");
            }
            if (in.remaining() < Short.BYTES) {
                throw new IllegalArgumentException("a bundle ends inside the length of entry " + entries.size());
            }
            int length = Short.toUnsignedInt(in.getShort());
            if (in.remaining() < length) {
                throw new IllegalArgumentException("a bundle ends inside its entry " + entries.size());
            }
            byte[] entry = new byte[length];
            in.get(entry);
            entries.add(entry);
        }
        return entries;
    }
}
