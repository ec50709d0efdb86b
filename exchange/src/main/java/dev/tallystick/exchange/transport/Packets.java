package dev.tallystick.exchange.transport;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Several messages as one block of bytes: the length of each, then its bytes. */
public final class Packets {

    public static byte[] join(List<byte[]> messages) {
        int size = 0;
        for (byte[] message : messages) {
            size += Integer.BYTES + message.length;
        }
        ByteBuffer packet = ByteBuffer.allocate(size);
        for (byte[] message : messages) {
            packet.putInt(message.length).put(message);
        }
        return packet.array();
    }

    /** The messages in parts of at most so many bytes and messages; a longer message is a part by itself. */
    static List<List<byte[]>> parts(List<byte[]> messages, int bytes, int number) {
        List<List<byte[]>> parts = new ArrayList<>();
        List<byte[]> part = new ArrayList<>();
        long size = 0;
        for (byte[] message : messages) {
            if (!part.isEmpty() && (part.size() == number || size + message.length > bytes)) {
                parts.add(part);
                part = new ArrayList<>();
                size = 0;
            }
            part.add(message);
            size += message.length;
        }
        if (!part.isEmpty()) {
            parts.add(part);
        }
        return parts;
    }

    /**
     * Undoes {@link #join}.
     *
     * @throws IllegalArgumentException if these are not the bytes of a packet
     */
    public static List<byte[]> split(byte[] packet) {
        ByteBuffer buffer = ByteBuffer.wrap(packet);
        List<byte[]> messages = new ArrayList<>();
        while (buffer.hasRemaining()) {
            int length = buffer.remaining() < Integer.BYTES ? -1 : buffer.getInt();
            if (length < 0 || length > buffer.remaining()) {
                throw new IllegalArgumentException("a packet breaks off");
            }
            byte[] message = new byte[length];
            buffer.get(message);
            messages.add(message);
        }
        return messages;
    }

    private Packets() {}
}
