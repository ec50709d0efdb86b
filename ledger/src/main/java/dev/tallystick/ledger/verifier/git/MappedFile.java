package dev.tallystick.ledger.verifier.git;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of any length, mapped: objects lie all over a pack, and a call of the system for each would cost most. */
final class MappedFile {

    private static final int SEGMENT_BITS = 30;

    private final MappedByteBuffer[] segments;
    private final long length;

    MappedFile(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            this.length = channel.size();
            this.segments = new MappedByteBuffer[Math.toIntExact((length >>> SEGMENT_BITS) + 1)];
            for (int i = 0; i < segments.length; i++) {
                long begin = (long) i << SEGMENT_BITS;
                long some = Math.min(1L << SEGMENT_BITS, length - begin);
                segments[i] = channel.map(FileChannel.MapMode.READ_ONLY, begin, some);
            }
        }
    }

    long length() {
        return length;
    }

    /** Copies bytes, all of which must be there. */
    void copy(long at, byte[] into, int count) throws Unsound {
        try {
            int copied = 0;
            while (copied < count) {
                MappedByteBuffer segment = segments[(int) ((at + copied) >>> SEGMENT_BITS)];
                int from = (int) ((at + copied) & ((1L << SEGMENT_BITS) - 1));
                int some = Math.min(count - copied, segment.limit() - from);
                segment.get(from, into, copied, some);
                copied += some;
            }
        } catch (InternalError e) {
            throw new Unsound("the disk does not give out bytes from " + at + " on");
        }
    }
}
