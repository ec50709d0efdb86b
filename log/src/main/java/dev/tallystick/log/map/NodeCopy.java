package dev.tallystick.log.map;

import dev.tallystick.core.file.ForcedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Copies the nodes below a node into another file, children first. */
final class NodeCopy {

    private static final int BUFFERED_SLOTS = 10_000;

    private final NodeFile from;
    private final FileChannel to;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFERED_SLOTS * NodeFile.SLOT);
    private long nextSlot;

    NodeCopy(NodeFile from, FileChannel to, long firstSlot) throws IOException {
        this.from = from;
        this.to = to;
        this.nextSlot = firstSlot;
        to.position(firstSlot * NodeFile.SLOT);
    }

    NodeRef copy(NodeRef node) throws IOException {
        if (node.isAbsent()) {
            return node;
        }
        if (node.isLeaf()) {
            return NodeRef.leaf(write(NodeFile.encode(from.leaf(node))), node.hash());
        }
        NodeFile.Inner inner = from.inner(node);
        NodeRef left = copy(inner.left());
        NodeRef right = copy(inner.right());
        return NodeRef.inner(write(NodeFile.encode(left, right)), node.hash());
    }

    private long write(byte[] slot) throws IOException {
        if (!buffer.hasRemaining()) {
            flush();
        }
        buffer.put(slot);
        return nextSlot++;
    }

    private void flush() throws IOException {
        ForcedFiles.writeFully(to, buffer.flip());
        buffer.clear();
    }

    /** Writes what is left, forces all, and returns the next free slot. */
    long finish() throws IOException {
        flush();
        to.force(false);
        return nextSlot;
    }
}
