package dev.tallystick.ledger.verifier.git;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** A part of a pack in memory, which moves as bytes are asked for, and what inflates them. Not thread-safe. */
public final class PackWindow implements AutoCloseable {

    /** Takes what comes out of the inflater. */
    interface Sink {
        void take(byte[] bytes, int length) throws Unsound;
    }

    /** So much is read where nothing was read before: most objects are small, and the next one may be anywhere. */
    private static final int LEAP = 2048;

    private final byte[] window;
    private final byte[] inflated = new byte[16 << 10];
    private final Inflater inflater = new Inflater();
    private @Nullable MappedFile file;
    private long begin;
    private int filled;

    public PackWindow(int size) {
        this.window = new byte[size];
    }

    /** Looks at this file from now on. */
    void open(MappedFile opened) {
        if (file != opened) {
            file = opened;
            filled = 0;
        }
    }

    int octet(long at) throws Unsound {
        return window[moveTo(at, 1)] & 0xff;
    }

    void copy(long at, byte[] into) throws Unsound {
        System.arraycopy(window, moveTo(at, into.length), into, 0, into.length);
    }

    /** Inflates what begins at {@code from}; returns where the compressed bytes end. */
    long inflate(long from, Sink sink) throws Unsound {
        inflater.reset();
        long at = from;
        try {
            while (!inflater.finished()) {
                if (inflater.needsInput()) {
                    int index = moveTo(at, 1);
                    inflater.setInput(window, index, filled - index);
                    at += filled - index;
                }
                int got = inflater.inflate(inflated);
                if (inflater.needsDictionary()) {
                    throw new Unsound("bytes at " + from + " ask for a dictionary, which Git never does");
                }
                sink.take(inflated, got);
            }
            return at - inflater.getRemaining();
        } catch (DataFormatException e) {
            throw new Unsound("bytes at " + from + " do not inflate");
        }
    }

    /** The checksum of the bytes between. */
    int crc(long from, long to) throws Unsound {
        CRC32 crc = new CRC32();
        for (long at = from; at < to; ) {
            int index = moveTo(at, 1);
            int some = (int) Math.min(filled - index, to - at);
            crc.update(window, index, some);
            at += some;
        }
        return (int) crc.getValue();
    }

    @Override
    public void close() {
        inflater.end();
    }

    /** Where in the window these bytes are. */
    private int moveTo(long at, int wanted) throws Unsound {
        if (file == null || at < 0 || at + wanted > file.length()) {
            throw new Unsound("the pack ends before byte " + (at + wanted));
        }
        long end = begin + filled;
        if (at < begin || at + wanted > end) {
            boolean readingOn = at >= begin && at <= end;
            int some = readingOn ? window.length : Math.max(wanted, LEAP);
            begin = at;
            filled = 0;
            int count = (int) Math.min(Math.min(some, window.length), file.length() - at);
            file.copy(at, window, count);
            filled = count;
        }
        return (int) (at - begin);
    }
}
