package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A Git tree as its bytes: {@code mode SP name NUL id}, sorted. Searched and changed in place, because a tree of 256 entries is
 * read far more often than it needs to be decoded. Not thread-safe once {@link #put} is used.
 */
public final class Tree {

    public static final String DIRECTORY = "40000";
    static final String FILE = "100644";

    /** The empty tree. */
    public static final Oid EMPTY = Oid.of(ObjectType.TREE, new byte[0]);

    public record Entry(String mode, String name, Oid id) {

        public boolean isDirectory() {
            return mode.equals(DIRECTORY);
        }
    }

    private byte[] bytes;
    private boolean shared;

    /** Shares {@code bytes} until the first change. */
    public Tree(byte[] bytes) {
        this.bytes = bytes;
        this.shared = true;
    }

    public static Tree empty() {
        return new Tree(new byte[0]);
    }

    public byte[] bytes() {
        shared = true;
        return bytes;
    }

    public Optional<Entry> find(String name) throws DamagedObjectException {
        byte[] wanted = name.getBytes(UTF_8);
        for (int at = 0; at < bytes.length; ) {
            int space = indexOf((byte) ' ', at);
            int zero = indexOf((byte) 0, space);
            if (Arrays.equals(bytes, space + 1, zero, wanted, 0, wanted.length)) {
                return Optional.of(entry(at, space, zero));
            }
            at = zero + 1 + Oid.BYTES;
        }
        return Optional.empty();
    }

    public List<Entry> entries() throws DamagedObjectException {
        List<Entry> entries = new ArrayList<>();
        for (int at = 0; at < bytes.length; ) {
            int space = indexOf((byte) ' ', at);
            int zero = indexOf((byte) 0, space);
            entries.add(entry(at, space, zero));
            at = zero + 1 + Oid.BYTES;
        }
        return entries;
    }

    /** Replaces the entry of this name, or inserts it in Git's order. */
    void put(String mode, String name, Oid id) throws DamagedObjectException {
        byte[] wanted = name.getBytes(UTF_8);
        int at = 0;
        while (at < bytes.length) {
            int space = indexOf((byte) ' ', at);
            int zero = indexOf((byte) 0, space);
            if (zero + 1 + Oid.BYTES > bytes.length) {
                throw new DamagedObjectException("a tree ends within an entry");
            }
            if (Arrays.equals(bytes, space + 1, zero, wanted, 0, wanted.length)) {
                own();
                id.writeTo(bytes, zero + 1);
                return;
            }
            if (order(space + 1, zero, bytes[at] == '4', wanted, mode.equals(DIRECTORY)) > 0) {
                break;
            }
            at = zero + 1 + Oid.BYTES;
        }
        insert(at, mode.getBytes(UTF_8), wanted, id);
    }

    void remove(String name) throws DamagedObjectException {
        byte[] wanted = name.getBytes(UTF_8);
        for (int at = 0; at < bytes.length; ) {
            int space = indexOf((byte) ' ', at);
            int zero = indexOf((byte) 0, space);
            int end = Math.min(zero + 1 + Oid.BYTES, bytes.length);
            if (Arrays.equals(bytes, space + 1, zero, wanted, 0, wanted.length)) {
                byte[] rest = new byte[bytes.length - (end - at)];
                System.arraycopy(bytes, 0, rest, 0, at);
                System.arraycopy(bytes, end, rest, at, bytes.length - end);
                bytes = rest;
                shared = false;
                return;
            }
            at = end;
        }
    }

    private void insert(int at, byte[] mode, byte[] name, Oid id) {
        byte[] grown = new byte[bytes.length + mode.length + name.length + 2 + Oid.BYTES];
        System.arraycopy(bytes, 0, grown, 0, at);
        System.arraycopy(mode, 0, grown, at, mode.length);
        int nameAt = at + mode.length + 1;
        grown[nameAt - 1] = ' ';
        System.arraycopy(name, 0, grown, nameAt, name.length);
        int idAt = nameAt + name.length + 1;
        id.writeTo(grown, idAt);
        System.arraycopy(bytes, at, grown, idAt + Oid.BYTES, bytes.length - at);
        bytes = grown;
        shared = false;
    }

    /** Git sorts a directory as if its name ended in a slash. */
    private int order(int from, int to, boolean directory, byte[] name, boolean nameIsDirectory) {
        int common = Math.min(to - from, name.length);
        int mismatch = Arrays.mismatch(bytes, from, from + common, name, 0, common);
        if (mismatch >= 0) {
            return Byte.compareUnsigned(bytes[from + mismatch], name[mismatch]);
        }
        int left = to - from > common ? bytes[from + common] & 0xff : directory ? '/' : 0;
        int right = name.length > common ? name[common] & 0xff : nameIsDirectory ? '/' : 0;
        return Integer.compare(left, right);
    }

    private void own() {
        if (shared) {
            bytes = bytes.clone();
            shared = false;
        }
    }

    private Entry entry(int at, int space, int zero) throws DamagedObjectException {
        if (zero + 1 + Oid.BYTES > bytes.length) {
            throw new DamagedObjectException("a tree ends within an entry");
        }
        return new Entry(
                new String(bytes, at, space - at, UTF_8),
                new String(bytes, space + 1, zero - space - 1, UTF_8),
                Oid.at(bytes, zero + 1));
    }

    private int indexOf(byte wanted, int from) throws DamagedObjectException {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        throw new DamagedObjectException("a tree ends within an entry");
    }
}
