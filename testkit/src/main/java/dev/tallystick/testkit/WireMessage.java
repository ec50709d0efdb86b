package dev.tallystick.testkit;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * One message of the Postgres protocol: a type, four bytes of length, a body. Only the head is in memory, enough to recognise
 * a COMMIT; the rest of a large message stays in the stream until {@link #transferTo} forwards it, so transfer each message
 * before reading the next.
 */
final class WireMessage {

    /** The first message of a client has no type on the wire. */
    static final char STARTUP = 0;

    private static final int HEAD_LIMIT = 64 * 1024;

    private final char type;
    private final byte[] head;
    private final int bodyOffset;
    private final DataInputStream rest;
    private final int restLength;

    private WireMessage(char type, byte[] head, int bodyOffset, DataInputStream rest, int restLength) {
        this.type = type;
        this.head = head;
        this.bodyOffset = bodyOffset;
        this.rest = rest;
        this.restLength = restLength;
    }

    /** The next message; empty at the end of the stream. */
    static Optional<WireMessage> read(DataInputStream in) throws IOException {
        int type = in.read();
        return type < 0 ? Optional.empty() : Optional.of(read((char) type, 1, in));
    }

    static WireMessage readStartup(DataInputStream in) throws IOException {
        return read(STARTUP, 0, in);
    }

    private static WireMessage read(char type, int lengthOffset, DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < (type == STARTUP ? 2 : 1) * Integer.BYTES) {
            throw new IOException("not the Postgres protocol: a message of length " + length);
        }
        int headLength = Math.min(length, HEAD_LIMIT);
        int bodyOffset = lengthOffset + Integer.BYTES;
        byte[] head = new byte[lengthOffset + headLength];
        if (type != STARTUP) {
            head[0] = (byte) type;
        }
        ByteBuffer.wrap(head).putInt(lengthOffset, length);
        in.readFully(head, bodyOffset, head.length - bodyOffset);
        return new WireMessage(type, head, bodyOffset, in, length - headLength);
    }

    char type() {
        return type;
    }

    /** The number with which the body of a startup message begins. */
    int code() {
        return ByteBuffer.wrap(head).getInt(bodyOffset);
    }

    /** The n-th zero-terminated string of the body, counted from 0. A string that extends beyond the head is cut off there. */
    String string(int n) {
        int start = bodyOffset;
        for (int skipped = 0; skipped < n; skipped++) {
            start = endOfString(start) + 1;
        }
        int end = endOfString(start);
        return start >= end ? "" : new String(head, start, end - start, StandardCharsets.UTF_8);
    }

    private int endOfString(int start) {
        int end = start;
        while (end < head.length && head[end] != 0) {
            end++;
        }
        return end;
    }

    void transferTo(OutputStream out) throws IOException {
        out.write(head);
        byte[] chunk = new byte[Math.min(restLength, HEAD_LIMIT)];
        for (int left = restLength; left > 0; ) {
            int count = rest.read(chunk, 0, Math.min(left, chunk.length));
            if (count < 0) {
                throw new EOFException("the stream ended within a message");
            }
            out.write(chunk, 0, count);
            left -= count;
        }
    }
}
