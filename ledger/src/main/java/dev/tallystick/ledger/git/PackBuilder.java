package dev.tallystick.ledger.git;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Builds one pack (version 2) in memory, with whole objects only: without deltas, packs can be joined by copying their entries.
 * Trees are stored uncompressed, because they consist of IDs, which do not compress. Not thread-safe.
 */
public final class PackBuilder implements AutoCloseable {

    static final int HEADER = 12;
    private static final int SIGNATURE = 0x5041434b;
    private static final int VERSION = 2;
    private static final int COMPRESS_FROM = 200;

    private final Deflater fast = new Deflater(Deflater.BEST_SPEED);
    private final MessageDigest sha1 = Digests.sha1();
    private final PackIndex index = new PackIndex();
    private final Map<Oid, GitObject> objects = new HashMap<>();
    private byte[] buffer = new byte[1 << 16];
    private int size = HEADER;

    /** Adds an object unless this pack already has it. */
    public Oid add(ObjectType type, byte[] content) {
        Oid id = Oid.of(sha1, type, content);
        if (objects.putIfAbsent(id, new GitObject(type, content)) == null) {
            boolean compress = type != ObjectType.TREE && content.length >= COMPRESS_FROM;
            byte[] entry = compress ? entry(fast, type, content) : StoredEntry.of(type, content);
            CRC32 crc = new CRC32();
            crc.update(entry);
            index.add(id, size, (int) crc.getValue());
            ensure(entry.length);
            System.arraycopy(entry, 0, buffer, size, entry.length);
            size += entry.length;
        }
        return id;
    }

    /** An object's entry in a pack: type and length, then the compressed content. */
    public static byte[] entry(Deflater deflater, ObjectType type, byte[] content) {
        byte[] entry = new byte[content.length + (content.length >> 8) + 64];
        int size = putTypeAndLength(entry, type, content.length);
        deflater.reset();
        deflater.setInput(content);
        deflater.finish();
        while (!deflater.finished()) {
            if (size == entry.length) {
                entry = Arrays.copyOf(entry, entry.length * 2);
            }
            size += deflater.deflate(entry, size, entry.length - size);
        }
        return Arrays.copyOf(entry, size);
    }

    /** Writes the header of an entry; returns its length. */
    static int putTypeAndLength(byte[] entry, ObjectType type, int length) {
        int size = 0;
        int rest = length >>> 4;
        int first = type.packed() << 4 | (length & 0x0f);
        entry[size++] = (byte) (rest == 0 ? first : first | 0x80);
        while (rest != 0) {
            int next = rest & 0x7f;
            rest >>>= 7;
            entry[size++] = (byte) (rest == 0 ? next : next | 0x80);
        }
        return size;
    }

    /** The header of a pack of {@code count} objects. */
    static byte[] header(int count) {
        byte[] header = new byte[HEADER];
        Bytes.putInt32(header, 0, SIGNATURE);
        Bytes.putInt32(header, 4, VERSION);
        Bytes.putInt32(header, 8, count);
        return header;
    }

    /** The added objects, to be cached for readers. */
    Map<Oid, GitObject> objects() {
        return objects;
    }

    /** Finishes the pack, writes it and makes it visible; returns its name. */
    public String writeTo(PackDirectory directory) throws IOException {
        System.arraycopy(header(index.size()), 0, buffer, 0, HEADER);
        ensure(Oid.BYTES);
        sha1.update(buffer, 0, size);
        byte[] checksum = sha1.digest();
        System.arraycopy(checksum, 0, buffer, size, checksum.length);
        return directory.write(buffer, size + checksum.length, index.bytes(checksum), Oid.at(checksum, 0));
    }

    @Override
    public void close() {
        fast.end();
    }

    private void ensure(int more) {
        if (buffer.length - size < more) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
        }
    }
}
