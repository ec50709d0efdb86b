package dev.tallystick.log.map;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/**
 * Nodes in slots of 80 bytes that are only ever appended, a footer after each batch. An inner node has two pointers and two
 * hashes, a leaf its tag and its commitment. A pointer is twice the slot, plus one for a leaf; slot 0 is unused.
 */
final class NodeFile {

    static final int SLOT = 80;
    private static final int MAGIC = 0x544d4150; // TMAP
    private static final int SIGNED = 64;
    private static final int PENDING_SLOTS = 1 << 20;

    private final FileChannel channel;

    NodeFile(FileChannel channel) {
        this.channel = channel;
    }

    record Inner(NodeRef left, NodeRef right) {}

    Inner inner(NodeRef ref) throws IOException {
        byte[] slot = read(ref.slot());
        ByteBuffer buffer = ByteBuffer.wrap(slot);
        NodeRef left = new NodeRef(buffer.getLong(), Hash.at(slot, 16));
        NodeRef right = new NodeRef(buffer.getLong(), Hash.at(slot, 48));
        if (!MapLeaf.node(left.hash(), right.hash()).equals(ref.hash())) {
            throw new DamagedMapException(
                    "node " + ref.slot() + " of the key map has another hash than its parent says");
        }
        return new Inner(left, right);
    }

    MapLeaf leaf(NodeRef ref) throws IOException {
        byte[] slot = read(ref.slot());
        MapLeaf leaf = new MapLeaf(Hash.at(slot, 0), Hash.at(slot, Hash.BYTES));
        if (!leaf.hash().equals(ref.hash())) {
            throw new DamagedMapException(
                    "leaf " + ref.slot() + " of the key map has another hash than its parent says");
        }
        return leaf;
    }

    static byte[] encode(MapLeaf leaf) {
        byte[] slot = new byte[SLOT];
        leaf.tag().copyTo(slot, 0);
        leaf.commitment().copyTo(slot, Hash.BYTES);
        return slot;
    }

    static byte[] encode(NodeRef left, NodeRef right) {
        byte[] slot = new byte[SLOT];
        ByteBuffer.wrap(slot).putLong(left.pointer()).putLong(right.pointer());
        left.hash().copyTo(slot, 16);
        right.hash().copyTo(slot, 48);
        return slot;
    }

    /** Appends a batch and its footer, and forces them. Returns the next free slot. */
    long append(long firstSlot, byte[] nodes, MapVersion version) throws IOException {
        byte[] footer = footer(nodes, version);
        ByteBuffer all =
                ByteBuffer.allocate(nodes.length + SLOT).put(nodes).put(footer).flip();
        long position = firstSlot * SLOT;
        while (all.hasRemaining()) {
            position += channel.write(all, position);
        }
        channel.force(false);
        return firstSlot + nodes.length / SLOT + 1;
    }

    private static byte[] footer(byte[] nodes, MapVersion version) {
        byte[] footer = new byte[SLOT];
        ByteBuffer.wrap(footer)
                .putInt(MAGIC)
                .putInt(nodes.length / SLOT)
                .putLong(version.logSize())
                .putLong(version.count())
                .putLong(version.top().pointer());
        version.root().copyTo(footer, SIGNED - Hash.BYTES);
        byte[] digest = Hash.sha256(nodes, Arrays.copyOf(footer, SIGNED)).bytes();
        System.arraycopy(digest, 0, footer, SIGNED, SLOT - SIGNED);
        return footer;
    }

    /** A version that the file has, and the slot after its footer. */
    record Found(MapVersion version, long nextSlot) {}

    /** Searches the end of the file for the version of this log size; null if it is not there, or not intact. */
    @org.jspecify.annotations.Nullable
    Found find(long logSize) throws IOException {
        long last = channel.size() / SLOT - 1;
        for (long slot = last; slot > 0 && slot > last - PENDING_SLOTS; slot--) {
            byte[] footer = read(slot);
            ByteBuffer buffer = ByteBuffer.wrap(footer);
            if (buffer.getInt() != MAGIC) {
                continue;
            }
            int length = buffer.getInt();
            if (length < 0 || length >= slot) {
                continue;
            }
            long size = buffer.getLong();
            long count = buffer.getLong();
            NodeRef top = new NodeRef(buffer.getLong(), Hash.at(footer, SIGNED - Hash.BYTES));
            MapVersion version = new MapVersion(size, top.hash(), count, top);
            if (!Arrays.equals(footer, footer(read(slot - length, length), version))) {
                continue;
            }
            if (size <= logSize) {
                return size == logSize ? new Found(version, slot + 1) : null;
            }
        }
        return null;
    }

    private byte[] read(long slot) throws IOException {
        return read(slot, 1);
    }

    private byte[] read(long slot, int slots) throws IOException {
        // A single slot is read without asking for the size first: proofs read one for each level of the map.
        if (slot < 0 || (slots > 1 && slots > channel.size() / SLOT - slot)) {
            throw new DamagedMapException("the key map has no slot " + slot);
        }
        byte[] bytes = new byte[Math.multiplyExact(slots, SLOT)];
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long position = slot * SLOT;
        while (buffer.hasRemaining()) {
            int read = channel.read(buffer, position + buffer.position());
            if (read < 0) {
                throw new DamagedMapException("the key map ends before slot " + (slot + slots));
            }
        }
        return bytes;
    }

    void truncate(long nextSlot) throws IOException {
        channel.truncate(nextSlot * SLOT);
    }

    void writeHeader() throws IOException {
        channel.truncate(0);
        ForcedFiles.writeFully(channel, ByteBuffer.allocate(SLOT));
    }
}
