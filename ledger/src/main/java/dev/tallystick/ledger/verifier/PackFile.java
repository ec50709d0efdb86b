package dev.tallystick.ledger.verifier;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** A pack and its index: looked into by the index, or read from front to back and held against it. Not thread-safe. */
final class PackFile implements AutoCloseable {

    private static final String[] TYPES = {"", "commit", "tree", "blob", "tag"};
    private static final int OFFSET_DELTA = 6;
    private static final int ID_DELTA = 7;
    private static final int LONGEST_CHAIN = 5_000;
    private static final int LARGEST_OBJECT = 256 << 20;
    private static final int HASH = 20;
    private static final int WINDOW = 64 << 10;

    /** Where the base of a delta is asked for when it is not in this pack. */
    interface Bases {
        StoredObject read(String id) throws IOException, Unsound;
    }

    private final String name;
    private final RandomAccessFile pack;
    private final byte[] index;
    private final int count;
    private final long length;
    private byte[] window = new byte[0];
    private long windowAt;

    PackFile(Path packFile) throws IOException, Unsound {
        this.name = packFile.getFileName().toString().replace(".pack", "");
        this.index = Files.readAllBytes(packFile.resolveSibling(name + ".idx"));
        this.count = checkedCount();
        this.pack = new RandomAccessFile(packFile.toFile(), "r");
        this.length = pack.length();
    }

    String name() {
        return name;
    }

    int count() {
        return count;
    }

    Optional<StoredObject> find(String id, Bases bases) throws IOException, Unsound {
        byte[] wanted = HexFormat.of().parseHex(id);
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int at = namesAt() + middle * HASH;
            int order = Arrays.compareUnsigned(index, at, at + HASH, wanted, 0, HASH);
            if (order == 0) {
                return Optional.of(read(offset(middle), bases, 0));
            }
            low = order < 0 ? middle + 1 : low;
            high = order > 0 ? middle - 1 : high;
        }
        return Optional.empty();
    }

    /** Reads everything; returns how many objects there are. Any difference to what the index says is unsound. */
    int audit(Bases bases, Runnable each) throws IOException, Unsound {
        checkTrailers();
        Map<Long, Integer> byOffset = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            byOffset.put(offset(i), i);
        }
        byte[] header = bytes(0, 12);
        if (number(header, 0) != 0x5041434b || number(header, 4) != 2 || number(header, 8) != count) {
            throw new Unsound("the pack does not begin as a pack of " + count + " objects");
        }
        long expected = 12;
        for (Map.Entry<Long, Integer> entry : byOffset.entrySet()) {
            if (entry.getKey() != expected) {
                throw new Unsound("the index leaves bytes at " + expected + " unexplained");
            }
            Raw raw = raw(expected);
            int i = entry.getValue();
            int at = namesAt() + i * HASH;
            String id = Hashes.hex(Arrays.copyOfRange(index, at, at + HASH));
            if (!read(expected, bases, 0).id().equals(id)) {
                throw new Unsound("object " + id + " is damaged");
            }
            CRC32 crc = new CRC32();
            crc.update(bytes(expected, (int) (raw.end - expected)));
            if ((int) crc.getValue() != number(index, namesAt() + count * HASH + i * 4)) {
                throw new Unsound("the index has another checksum for object " + id);
            }
            expected = raw.end;
            each.run();
        }
        if (expected != length - HASH) {
            throw new Unsound("the pack goes on after its last object");
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        pack.close();
    }

    private void checkTrailers() throws IOException, Unsound {
        MessageDigest sha1 = Hashes.digest("SHA-1");
        long end = length - HASH;
        for (long at = 0; at < end; at += 1 << 20) {
            sha1.update(bytes(at, (int) Math.min(1 << 20, end - at)));
        }
        byte[] checksum = sha1.digest();
        if (end < 12 || !Arrays.equals(checksum, bytes(end, HASH))) {
            throw new Unsound("the pack's checksum is wrong");
        }
        int trailer = index.length - 2 * HASH;
        if (!Arrays.equals(index, trailer, trailer + HASH, checksum, 0, HASH)) {
            throw new Unsound("the index belongs to another pack");
        }
        sha1.update(index, 0, trailer + HASH);
        if (!Arrays.equals(index, trailer + HASH, index.length, sha1.digest(), 0, HASH)) {
            throw new Unsound("the index's checksum is wrong");
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Raw(int type, byte[] content, long end, long baseAt, String baseId) {}

    private StoredObject read(long offset, Bases bases, int depth) throws IOException, Unsound {
        Raw raw = raw(offset);
        if (raw.type != OFFSET_DELTA && raw.type != ID_DELTA) {
            return new StoredObject(TYPES[raw.type], raw.content);
        }
        if (depth > LONGEST_CHAIN) {
            throw new Unsound("a chain of deltas has no end");
        }
        StoredObject base = raw.type == OFFSET_DELTA ? read(raw.baseAt, bases, depth + 1) : bases.read(raw.baseId);
        return new StoredObject(base.type(), undelta(base.content(), raw.content));
    }

    private Raw raw(long offset) throws IOException, Unsound {
        long at = offset;
        int next = octet(at++);
        int type = next >>> 4 & 7;
        long length = next & 15;
        for (int shift = 4; (next & 0x80) != 0 && shift < 60; shift += 7) {
            next = octet(at++);
            length |= (next & 0x7fL) << shift;
        }
        if (length > LARGEST_OBJECT || type == 0 || type == 5) {
            throw new Unsound("there is no object at " + offset);
        }
        long baseAt = -1;
        String baseId = "";
        if (type == OFFSET_DELTA) {
            next = octet(at++);
            long distance = next & 0x7f;
            while ((next & 0x80) != 0) {
                next = octet(at++);
                distance = ((distance + 1) << 7) + (next & 0x7f);
            }
            baseAt = offset - distance;
            if (distance <= 0 || baseAt < 12) {
                throw new Unsound("a delta at " + offset + " has no base");
            }
        } else if (type == ID_DELTA) {
            baseId = Hashes.hex(bytes(at, HASH));
            at += HASH;
        }
        byte[] content = new byte[(int) length];
        return new Raw(type, content, inflate(at, content), baseAt, baseId);
    }

    /** Fills {@code content} and returns where the compressed bytes end. */
    private long inflate(long from, byte[] content) throws IOException, Unsound {
        Inflater inflater = new Inflater();
        try {
            long at = from;
            int filled = 0;
            byte[] spare = new byte[1];
            while (!inflater.finished()) {
                if (inflater.needsInput()) {
                    int some = (int) Math.min(8192, length - at);
                    if (some <= 0) {
                        throw new Unsound("the pack ends within an object");
                    }
                    inflater.setInput(bytes(at, some));
                    at += some;
                }
                boolean full = filled == content.length;
                int got = full ? inflater.inflate(spare) : inflater.inflate(content, filled, content.length - filled);
                if (full && got > 0) {
                    throw new Unsound("an object is longer than it says");
                }
                if (inflater.needsDictionary()) {
                    throw new Unsound("bytes at " + from + " ask for a dictionary, which Git never does");
                }
                filled += got;
            }
            if (filled != content.length) {
                throw new Unsound("an object is shorter than it says");
            }
            return at - inflater.getRemaining();
        } catch (DataFormatException e) {
            throw new Unsound("bytes at " + from + " do not inflate");
        } finally {
            inflater.end();
        }
    }

    private static byte[] undelta(byte[] base, byte[] delta) throws Unsound {
        int[] at = {0};
        try {
            if (size(delta, at) != base.length) {
                throw new Unsound("a delta was made for another base");
            }
            byte[] result = new byte[Math.toIntExact(Math.min(size(delta, at), LARGEST_OBJECT))];
            int filled = 0;
            while (at[0] < delta.length) {
                int code = delta[at[0]++] & 0xff;
                if (code >= 0x80) {
                    int from = 0;
                    int length = 0;
                    for (int bit = 0; bit < 7; bit++) {
                        int octet = (code >>> bit & 1) == 0 ? 0 : delta[at[0]++] & 0xff;
                        from |= bit < 4 ? octet << (8 * bit) : 0;
                        length |= bit < 4 ? 0 : octet << (8 * (bit - 4));
                    }
                    length = length == 0 ? 0x10000 : length;
                    System.arraycopy(base, from, result, filled, length);
                    filled += length;
                } else {
                    System.arraycopy(delta, at[0], result, filled, code);
                    at[0] += code;
                    filled += code;
                }
            }
            if (filled != result.length) {
                throw new Unsound("a delta makes an object of another length");
            }
            return result;
        } catch (IndexOutOfBoundsException e) {
            throw new Unsound("a delta reaches too far");
        }
    }

    private static long size(byte[] delta, int[] at) {
        long size = 0;
        int shift = 0;
        int next = 0x80;
        while ((next & 0x80) != 0) {
            next = delta[at[0]++];
            size |= (next & 0x7fL) << shift;
            shift += 7;
        }
        return size;
    }

    private int checkedCount() throws Unsound {
        boolean known = index.length >= namesAt() + 2 * HASH && number(index, 0) == 0xff744f63 && number(index, 4) == 2;
        int total = known ? number(index, namesAt() - 4) : -1;
        if (total < 0 || index.length < namesAt() + 2L * HASH + total * (HASH + 8L)) {
            throw new Unsound("the index is not one");
        }
        int[] first = new int[256];
        for (int i = 0; i < total; i++) {
            first[index[namesAt() + i * HASH] & 0xff]++;
        }
        int sum = 0;
        for (int i = 0; i < 256; i++) {
            sum += first[i];
            if (number(index, 8 + i * 4) != sum) {
                throw new Unsound("the index counts its objects wrongly");
            }
        }
        return total;
    }

    private long offset(int i) throws Unsound {
        int small = number(index, namesAt() + count * (HASH + 4) + i * 4);
        if (small >= 0) {
            return small;
        }
        long at = namesAt() + count * (HASH + 8L) + (small & Integer.MAX_VALUE) * 8L;
        if (at + 8 > index.length - 2 * HASH) {
            throw new Unsound("the index points outside itself");
        }
        return (long) number(index, (int) at) << 32 | (number(index, (int) at + 4) & 0xffffffffL);
    }

    private static int namesAt() {
        return 8 + 256 * 4;
    }

    private int octet(long at) throws IOException, Unsound {
        if (at < windowAt || at >= windowAt + window.length) {
            return bytes(at, 1)[0] & 0xff;
        }
        return window[(int) (at - windowAt)] & 0xff;
    }

    private byte[] bytes(long at, int wanted) throws IOException, Unsound {
        if (at < 0 || at + wanted > length) {
            throw new Unsound("the pack ends before byte " + (at + wanted));
        }
        if (at < windowAt || at + wanted > windowAt + window.length) {
            window = new byte[(int) Math.min(Math.max(wanted, WINDOW), length - at)];
            windowAt = at;
            pack.seek(at);
            pack.readFully(window);
        }
        int from = (int) (at - windowAt);
        return Arrays.copyOfRange(window, from, from + wanted);
    }

    private static int number(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }
}
