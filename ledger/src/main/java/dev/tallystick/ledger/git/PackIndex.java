package dev.tallystick.ledger.git;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the offsets of a pack's objects and lays out its index (version 2). */
public final class PackIndex {

    static final int MAGIC = 0xff744f63;
    static final int VERSION = 2;
    static final int FANOUT_AT = 8;
    static final int NAMES_AT = FANOUT_AT + 256 * 4;

    private record Entry(Oid id, long offset, int crc) {

        /** Offsets that do not fit into 31 bits go into a separate table. */
        boolean isFar() {
            return offset > Integer.MAX_VALUE;
        }
    }

    private final List<Entry> entries = new ArrayList<>();

    void add(Oid id, long offset, int crc) {
        entries.add(new Entry(id, offset, crc));
    }

    int size() {
        return entries.size();
    }

    public byte[] bytes(byte[] packChecksum) {
        entries.sort(Comparator.comparing(Entry::id));
        int count = entries.size();
        int crcsAt = NAMES_AT + count * Oid.BYTES;
        int offsetsAt = crcsAt + count * 4;
        int largeAt = offsetsAt + count * 4;
        int large = 0;
        int trailerAt =
                largeAt + 8 * (int) entries.stream().filter(Entry::isFar).count();
        byte[] bytes = new byte[trailerAt + 2 * Oid.BYTES];
        Bytes.putInt32(bytes, 0, MAGIC);
        Bytes.putInt32(bytes, 4, VERSION);
        int[] upTo = new int[256];
        for (int i = 0; i < count; i++) {
            Entry entry = entries.get(i);
            upTo[entry.id.firstByte()]++;
            entry.id.writeTo(bytes, NAMES_AT + i * Oid.BYTES);
            Bytes.putInt32(bytes, crcsAt + i * 4, entry.crc);
            if (entry.isFar()) {
                Bytes.putInt64(bytes, largeAt + large * 8, entry.offset);
                Bytes.putInt32(bytes, offsetsAt + i * 4, Integer.MIN_VALUE | large++);
            } else {
                Bytes.putInt32(bytes, offsetsAt + i * 4, (int) entry.offset);
            }
        }
        int total = 0;
        for (int i = 0; i < 256; i++) {
            total += upTo[i];
            Bytes.putInt32(bytes, FANOUT_AT + i * 4, total);
        }
        System.arraycopy(packChecksum, 0, bytes, trailerAt, Oid.BYTES);
        var sha1 = Digests.sha1();
        sha1.update(bytes, 0, trailerAt + Oid.BYTES);
        System.arraycopy(sha1.digest(), 0, bytes, trailerAt + Oid.BYTES, Oid.BYTES);
        return bytes;
    }
}
