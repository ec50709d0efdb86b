package dev.tallystick.ledger.verifier.git;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * A pack and its index: looked into by the index, or read from front to back and held against it. Thread-safe, as long as
 * every thread brings its own window.
 */
public final class PackFile {

    static final int LARGEST_OBJECT = 256 << 20;

    private static final String[] TYPES = {"", "commit", "tree", "blob", "tag"};
    private static final int OFFSET_DELTA = 6;
    private static final int ID_DELTA = 7;
    private static final int LONGEST_CHAIN = 5_000;
    private static final int HASH = 20;
    private static final int HEADER = 12;
    private static final int CHUNK = 256 << 10;

    /** Deflate makes nothing smaller than this: an object that claims to be longer lies. */
    private static final int BEST_COMPRESSION = 1_032;

    /** Names an object that serves as base of a delta. */
    private record Place(PackFile pack, long offset) {}

    /** A part of a pack, from the beginning of an object to the end of another. */
    public record Range(long from, long to) {}

    private final String name;
    private final PackIndexFile index;
    private final MappedFile pack;
    private final long length;
    private final ObjectCache<StoredObject> bases;

    public PackFile(Path file, ObjectCache<StoredObject> bases) throws IOException, Unsound {
        this.name = file.getFileName().toString().replace(".pack", "");
        this.index = new PackIndexFile(file.resolveSibling(name + ".idx"));
        this.bases = bases;
        this.pack = new MappedFile(file);
        this.length = pack.length();
    }

    public String name() {
        return name;
    }

    public int count() {
        return index.count();
    }

    public Optional<StoredObject> find(byte[] id, PackWindow window) throws Unsound {
        int number = index.find(id);
        if (number < 0) {
            return Optional.empty();
        }
        window.open(pack);
        return Optional.of(read(index.offset(number), window));
    }

    /** Checks all but the objects: that index and pack belong together, and neither has changed. */
    public void auditFrame() throws Unsound {
        long end = length - HASH;
        if (end < HEADER) {
            throw new Unsound("the pack is cut short");
        }
        MessageDigest sha1 = Hashes.sha1();
        byte[] some = new byte[CHUNK];
        for (long at = 0; at < end; at += some.length) {
            int count = (int) Math.min(some.length, end - at);
            pack.copy(at, some, count);
            if (at == 0 && !isHeader(ByteBuffer.wrap(some))) {
                throw new Unsound("the pack does not begin as a pack of " + index.count() + " objects");
            }
            sha1.update(some, 0, count);
        }
        byte[] checksum = sha1.digest();
        pack.copy(end, some, HASH);
        if (!Arrays.equals(checksum, 0, HASH, some, 0, HASH)) {
            throw new Unsound("the pack's checksum is wrong");
        }
        index.audit(checksum);
    }

    private boolean isHeader(ByteBuffer begin) {
        return begin.getInt(0) == 0x5041434b && begin.getInt(4) == 2 && begin.getInt(8) == index.count();
    }

    /** Divides the pack into ranges of about this size, at offsets that the index names. */
    public List<Range> ranges(int size) throws Unsound {
        long end = length - HASH;
        int parts = Math.clamp(end / size, 1, 10_000);
        long[] firsts = new long[parts];
        Arrays.fill(firsts, end);
        for (int number = 0; number < index.count(); number++) {
            long offset = index.offset(number);
            if (offset < HEADER || offset >= end) {
                throw new Unsound("the index points outside the pack");
            }
            int part = (int) Math.min(offset / (end / parts), parts - 1);
            firsts[part] = Math.min(firsts[part], offset);
        }
        firsts[0] = HEADER;
        List<Range> ranges = new ArrayList<>();
        long to = end;
        for (int part = parts - 1; part >= 0; part--) {
            if (firsts[part] < to) {
                ranges.add(new Range(firsts[part], to));
                to = firsts[part];
            }
        }
        return ranges;
    }

    /**
     * Reads every object of a range and holds it against the index; returns how many there are. As the objects leave no gap
     * and the index names each of them once, a pack in which the index's number of objects is found holds nothing else.
     */
    public int audit(Range range, PackWindow window, LongAdder seen) throws Unsound {
        window.open(pack);
        int count = 0;
        long at = range.from;
        while (at < range.to) {
            Entry entry = entry(at, window);
            MessageDigest sha1;
            long end;
            if (entry.isDelta()) {
                Growing raw = new Growing(entry.length);
                end = window.inflate(entry.contentAt, raw);
                StoredObject object = read(at, window);
                sha1 = StoredObject.idDigest(object.type(), object.content().length);
                sha1.update(object.content());
                raw.checkFull();
            } else {
                Hashing hashing = new Hashing(entry);
                end = window.inflate(entry.contentAt, hashing);
                hashing.checkFull();
                sha1 = hashing.sha1;
            }
            byte[] id = sha1.digest();
            int number = index.find(id);
            if (number < 0 || index.offset(number) != at) {
                throw new Unsound("the object at " + at + " is damaged: it is now " + Hashes.hex(id)
                        + ", which the index does not have there");
            }
            if (window.crc(at, end) != index.crc(number)) {
                throw new Unsound("the index has another checksum for object " + Hashes.hex(id));
            }
            at = end;
            count++;
            seen.increment();
        }
        if (at != range.to) {
            throw new Unsound("the index leaves bytes at " + range.to + " unexplained");
        }
        return count;
    }

    /** What stands before the compressed bytes. */
    private record Entry(int type, int length, long contentAt, long baseAt) {

        boolean isDelta() {
            return type == OFFSET_DELTA || type == ID_DELTA;
        }
    }

    /** Collects an object, which must have the length that it claims. */
    private static final class Growing implements PackWindow.Sink {

        private byte[] content;
        private final int expected;
        private int filled;

        /** What claims to be large has to show it before it gets the memory. */
        Growing(int expected) {
            this.expected = expected;
            this.content = new byte[Math.min(expected, 1 << 20)];
        }

        @Override
        public void take(byte[] bytes, int length) throws Unsound {
            if (filled + length > expected) {
                throw new Unsound("an object is longer than it says");
            }
            if (filled + length > content.length) {
                content = Arrays.copyOf(content, (int) Math.min(expected, 2L * content.length));
            }
            System.arraycopy(bytes, 0, content, filled, length);
            filled += length;
        }

        byte[] checkFull() throws Unsound {
            if (filled != expected) {
                throw new Unsound("an object is shorter than it says");
            }
            return content;
        }
    }

    /** Hashes an object without keeping it. */
    private static final class Hashing implements PackWindow.Sink {

        private final MessageDigest sha1;
        private long missing;

        Hashing(Entry entry) {
            this.sha1 = StoredObject.idDigest(TYPES[entry.type], entry.length);
            this.missing = entry.length;
        }

        @Override
        public void take(byte[] bytes, int length) throws Unsound {
            missing -= length;
            if (missing < 0) {
                throw new Unsound("an object is longer than it says");
            }
            sha1.update(bytes, 0, length);
        }

        void checkFull() throws Unsound {
            if (missing != 0) {
                throw new Unsound("an object is shorter than it says");
            }
        }
    }

    private StoredObject read(long offset, PackWindow window) throws Unsound {
        Entry entry = entry(offset, window);
        byte[] content = content(entry, window);
        if (!entry.isDelta()) {
            return new StoredObject(TYPES[entry.type], content);
        }
        Deque<byte[]> deltas = new ArrayDeque<>();
        Deque<Long> places = new ArrayDeque<>();
        long at = offset;
        StoredObject base = null;
        while (base == null) {
            if (deltas.size() > LONGEST_CHAIN) {
                throw new Unsound("a chain of deltas has no end");
            }
            deltas.push(content);
            places.push(at);
            at = entry.baseAt;
            base = bases.find(new Place(this, at));
            if (base == null) {
                entry = entry(at, window);
                content = content(entry, window);
                base = entry.isDelta() ? null : new StoredObject(TYPES[entry.type], content);
            }
        }
        return apply(base, at, deltas, places);
    }

    private static byte[] content(Entry entry, PackWindow window) throws Unsound {
        Growing content = new Growing(entry.length);
        window.inflate(entry.contentAt, content);
        return content.checkFull();
    }

    /** Applies deltas, the last pushed first, and keeps what came before the last for objects that have the same base. */
    private StoredObject apply(StoredObject base, long at, Deque<byte[]> deltas, Deque<Long> places) throws Unsound {
        StoredObject object = base;
        long place = at;
        while (!deltas.isEmpty()) {
            bases.put(new Place(this, place), object, object.content().length);
            object = new StoredObject(object.type(), PackDelta.apply(object.content(), deltas.pop()));
            place = places.pop();
        }
        return object;
    }

    private Entry entry(long offset, PackWindow window) throws Unsound {
        long at = offset;
        int next = window.octet(at++);
        int type = next >>> 4 & 7;
        long claimed = next & 15;
        for (int shift = 4; (next & 0x80) != 0 && shift < 60; shift += 7) {
            next = window.octet(at++);
            claimed |= (next & 0x7fL) << shift;
        }
        boolean possible = claimed >= 0 && claimed <= LARGEST_OBJECT && claimed / BEST_COMPRESSION <= length - at;
        if (!possible || type == 0 || type == 5) {
            throw new Unsound("there is no object at " + offset);
        }
        long baseAt = -1;
        if (type == OFFSET_DELTA) {
            next = window.octet(at++);
            long distance = next & 0x7f;
            while ((next & 0x80) != 0 && distance < 1L << 48) {
                next = window.octet(at++);
                distance = ((distance + 1) << 7) + (next & 0x7f);
            }
            baseAt = offset - distance;
            if (distance <= 0 || baseAt < HEADER) {
                throw new Unsound("a delta at " + offset + " has no base");
            }
        } else if (type == ID_DELTA) {
            byte[] id = new byte[HASH];
            window.copy(at, id);
            at += HASH;
            int number = index.find(id);
            if (number < 0) {
                throw new Unsound("a delta at " + offset + " has no base in its pack");
            }
            baseAt = index.offset(number);
        }
        return new Entry(type, (int) claimed, at, baseAt);
    }
}
