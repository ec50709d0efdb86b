package dev.tallystick.ledger.tx;

import java.io.ByteArrayOutputStream;

/** The part of Protocol Buffers that TxV3 needs: varints and length-delimited fields, defaults left out, in order. */
final class TxWriter {

    static final int VARINT = 0;
    static final int DELIMITED = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

    void number(int field, long value) {
        if (value != 0) {
            varint((long) field << 3 | VARINT);
            varint(value);
        }
    }

    void bytes(int field, byte[] value) {
        if (value.length > 0) {
            varint((long) field << 3 | DELIMITED);
            varint(value.length);
            out.writeBytes(value);
        }
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
