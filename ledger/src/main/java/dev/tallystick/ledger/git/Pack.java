package dev.tallystick.ledger.git;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * One pack and its index, open for reading from many threads. Reads what native Git writes, deltas included. Nothing read
 * here is trusted: {@link ObjectStore} hashes it first.
 */
public final class Pack implements AutoCloseable {

    /** Larger objects are not ours; a damaged header must not make us allocate that much. */
    static final int LARGEST_OBJECT = 256 << 20;

    private static final int OFFSET_DELTA = 6;
    private static final int ID_DELTA = 7;
    private static final int DEEPEST_DELTA = 5_000;
    private static final int WHOLE_INDEX_IN_MEMORY = 4 << 20;
    private static final int CHUNK = 4096;

    private final String name;
    private final PackReader pack;
    private final PackReader index;
    private final byte[] indexHead;
    private final int count;

    Pack(Path packFile) throws IOException {
        String file = packFile.getFileName().toString();
        this.name = file.substring(0, file.length() - ".pack".length());
        this.index = new PackReader(packFile.resolveSibling(name + ".idx"));
        try {
            this.pack = new PackReader(packFile);
        } catch (IOException e) {
            index.close();
            throw e;
        }
        boolean whole = index.size() <= WHOLE_INDEX_IN_MEMORY;
        this.indexHead = whole ? index.readAll() : index.read(0, PackIndex.NAMES_AT);
        this.count = checkedCount();
    }

    public String name() {
        return name;
    }

    public int count() {
        return count;
    }

    long bytes() throws IOException {
        return pack.size();
    }

    /** The offset of the object, or -1. */
    long find(Oid id) throws IOException {
        int first = id.firstByte();
        int low = first == 0 ? 0 : fanout(first - 1);
        int high = fanout(first);
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = idAt(middle).compareTo(id);
            if (order == 0) {
                return offsetAt(middle);
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return -1;
    }

    public Oid idAt(int i) throws IOException {
        return Oid.at(indexBytes(PackIndex.NAMES_AT + (long) i * Oid.BYTES, Oid.BYTES), 0);
    }

    long offsetAt(int i) throws IOException {
        long offsetsAt = PackIndex.NAMES_AT + (long) count * (Oid.BYTES + 4);
        int offset = Bytes.int32(indexBytes(offsetsAt + (long) i * 4, 4), 0);
        if (offset >= 0) {
            return offset;
        }
        long largeAt = offsetsAt + (long) count * 4 + (long) (offset & Integer.MAX_VALUE) * 8;
        return Bytes.int64(indexBytes(largeAt, 8), 0);
    }

    private int crcAt(int i) throws IOException {
        long crcsAt = PackIndex.NAMES_AT + (long) count * Oid.BYTES;
        return Bytes.int32(indexBytes(crcsAt + (long) i * 4, 4), 0);
    }

    /** The object at {@code offset}; {@code store} supplies delta bases from elsewhere. */
    GitObject read(long offset, ObjectStore store) throws IOException {
        Deque<byte[]> deltas = new ArrayDeque<>();
        long at = offset;
        while (true) {
            Entry entry = entry(at);
            byte[] content = inflate(entry.contentAt, entry.length);
            if (entry.type != OFFSET_DELTA && entry.type != ID_DELTA) {
                return undelta(new GitObject(ObjectType.packed(entry.type), content), deltas);
            }
            if (deltas.size() == DEEPEST_DELTA) {
                throw new DamagedObjectException(name + " holds an endless chain of deltas at " + offset);
            }
            deltas.push(content);
            if (entry.base != null) {
                return undelta(store.read(entry.base), deltas);
            }
            at = entry.baseAt;
        }
    }

    /** Where each entry begins and ends, for copying. */
    List<RawEntry> rawEntries() throws IOException {
        List<RawEntry> entries = new ArrayList<>(count);
        long[] starts = new long[count + 1];
        for (int i = 0; i < count; i++) {
            starts[i] = offsetAt(i);
        }
        starts[count] = pack.size() - Oid.BYTES;
        long[] sorted = starts.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < count; i++) {
            long end = sorted[Arrays.binarySearch(sorted, starts[i]) + 1];
            entries.add(new RawEntry(idAt(i), starts[i], Math.toIntExact(end - starts[i]), crcAt(i)));
        }
        return entries;
    }

    byte[] raw(RawEntry entry) throws IOException {
        return pack.read(entry.offset, entry.length);
    }

    /** Whether an entry of the pack depends on another entry. */
    static boolean isDelta(byte[] raw) {
        int type = raw[0] >>> 4 & 7;
        return type == OFFSET_DELTA || type == ID_DELTA;
    }

    record RawEntry(Oid id, long offset, int length, int crc) {}

    @Override
    public void close() throws IOException {
        index.close();
        pack.close();
    }

    private record Entry(
            int type,
            int length,
            long contentAt,
            @org.jspecify.annotations.Nullable Oid base,
            long baseAt) {}

    private Entry entry(long offset) throws IOException {
        byte[] head = new byte[48];
        int available = pack.readUpTo(offset, head);
        Cursor cursor = new Cursor(head, available, name);
        int first = cursor.next();
        int type = first >>> 4 & 7;
        long length = first & 0x0f;
        for (int shift = 4, next = first; (next & 0x80) != 0; shift += 7) {
            next = cursor.next();
            length |= (long) (next & 0x7f) << shift;
        }
        if (length < 0 || length > LARGEST_OBJECT) {
            throw new DamagedObjectException(name + " holds an object of " + length + " bytes at " + offset);
        }
        Oid base = null;
        long baseAt = -1;
        if (type == OFFSET_DELTA) {
            baseAt = offset - cursor.nextOffset();
            if (baseAt < PackBuilder.HEADER || baseAt >= offset) {
                throw new DamagedObjectException(name + " holds a delta whose base is missing, at " + offset);
            }
        } else if (type == ID_DELTA) {
            base = cursor.nextId();
        }
        return new Entry(type, (int) length, offset + cursor.position, base, baseAt);
    }

    private byte[] inflate(long at, int length) throws IOException {
        Inflater inflater = new Inflater();
        try {
            byte[] content = new byte[length];
            byte[] chunk = new byte[Math.clamp(length + 64L, 64, CHUNK)];
            int filled = 0;
            long position = at;
            while (!inflater.finished()) {
                if (inflater.needsInput()) {
                    int got = pack.readUpTo(position, chunk);
                    if (got == 0) {
                        throw new DamagedObjectException(name + " ends within an object");
                    }
                    inflater.setInput(chunk, 0, got);
                    position += got;
                }
                int got = inflater.inflate(content, filled, length - filled);
                filled += got;
                if (got == 0 && !inflater.finished() && !inflater.needsInput()) {
                    // The output is full, or inflating needs a dictionary, which Git never uses.
                    throw new DamagedObjectException(name + " holds an object longer than it says, at " + at);
                }
            }
            if (filled != length) {
                throw new DamagedObjectException(name + " holds an object shorter than it says, at " + at);
            }
            return content;
        } catch (DataFormatException e) {
            throw new DamagedObjectException(name + " holds bytes that do not inflate at " + at, e);
        } finally {
            inflater.end();
        }
    }

    private static GitObject undelta(GitObject base, Deque<byte[]> deltas) throws DamagedObjectException {
        byte[] content = base.content();
        while (!deltas.isEmpty()) {
            content = Delta.apply(content, deltas.pop());
        }
        return new GitObject(base.type(), content);
    }

    private int checkedCount() throws IOException {
        boolean known = indexHead.length >= PackIndex.NAMES_AT
                && Bytes.int32(indexHead, 0) == PackIndex.MAGIC
                && Bytes.int32(indexHead, 4) == PackIndex.VERSION;
        int total = known ? fanout(255) : -1;
        if (total < 0 || index.size() < PackIndex.NAMES_AT + (long) total * (Oid.BYTES + 8) + 2L * Oid.BYTES) {
            close();
            throw new DamagedObjectException("the index of " + name + " is invalid");
        }
        return total;
    }

    private int fanout(int first) throws DamagedObjectException {
        int upTo = Bytes.int32(indexHead, PackIndex.FANOUT_AT + first * 4);
        if (upTo < 0 || (count > 0 && upTo > count)) {
            throw new DamagedObjectException("the index of " + name + " counts more objects than it has");
        }
        return upTo;
    }

    private byte[] indexBytes(long at, int length) throws IOException {
        if (indexHead.length > PackIndex.NAMES_AT) {
            if (at < 0 || at + length > indexHead.length) {
                throw new DamagedObjectException("the index of " + name + " points outside itself");
            }
            return Arrays.copyOfRange(indexHead, (int) at, (int) at + length);
        }
        return index.read(at, length);
    }

    /** Reads the numbers in front of an entry. */
    private static final class Cursor {
        private final byte[] bytes;
        private final int end;
        private final String name;
        private int position;

        Cursor(byte[] bytes, int end, String name) {
            this.bytes = bytes;
            this.end = end;
            this.name = name;
        }

        int next() throws DamagedObjectException {
            if (position >= end) {
                throw new DamagedObjectException(name + " ends within an object");
            }
            return bytes[position++] & 0xff;
        }

        long nextOffset() throws DamagedObjectException {
            int next = next();
            long offset = next & 0x7f;
            while ((next & 0x80) != 0) {
                next = next();
                offset = (offset + 1) << 7 | (next & 0x7f);
            }
            return offset;
        }

        Oid nextId() throws DamagedObjectException {
            if (position + Oid.BYTES > end) {
                throw new DamagedObjectException(name + " ends within an object");
            }
            Oid id = Oid.at(bytes, position);
            position += Oid.BYTES;
            return id;
        }
    }
}
