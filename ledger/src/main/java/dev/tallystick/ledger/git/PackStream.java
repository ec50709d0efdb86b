package dev.tallystick.ledger.git;

import dev.tallystick.core.file.ForcedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.zip.CRC32;

/** Writes a pack of a known number of objects entry by entry, so that its size is not limited by memory. */
public final class PackStream {

    private final FileChannel out;
    private final MessageDigest sha1 = Digests.sha1();
    private final PackIndex index = new PackIndex();
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
    private long position;

    public PackStream(FileChannel out, int count) throws IOException {
        this.out = out;
        write(PackBuilder.header(count));
    }

    /** Appends an entry: its header and its compressed bytes. */
    public void append(Oid id, byte[] entry) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(entry);
        index.add(id, position, (int) crc.getValue());
        write(entry);
    }

    /** Finishes the pack and forces it. Returns its checksum. */
    public byte[] finish() throws IOException {
        byte[] checksum = sha1.digest();
        flush();
        ForcedFiles.writeFully(out, ByteBuffer.wrap(checksum));
        out.force(true);
        return checksum;
    }

    public PackIndex index() {
        return index;
    }

    private void write(byte[] bytes) throws IOException {
        sha1.update(bytes);
        position += bytes.length;
        if (bytes.length > buffer.remaining()) {
            flush();
        }
        if (bytes.length > buffer.capacity()) {
            ForcedFiles.writeFully(out, ByteBuffer.wrap(bytes));
        } else {
            buffer.put(bytes);
        }
    }

    private void flush() throws IOException {
        ForcedFiles.writeFully(out, buffer.flip());
        buffer.clear();
    }
}
