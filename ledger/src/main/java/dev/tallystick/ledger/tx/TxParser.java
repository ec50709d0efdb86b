package dev.tallystick.ledger.tx;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.git.DamagedObjectException;
import java.util.Arrays;

/** Parses TxV3. Each value has exactly one encoding: bytes that would not be written identically are refused. */
final class TxParser {

    private static final int FIELDS = 11;

    private final byte[] bytes;
    private int position;

    private TxParser(byte[] bytes) {
        this.bytes = bytes;
    }

    static Tx parse(byte[] bytes) throws DamagedObjectException {
        Tx tx;
        try {
            tx = new TxParser(bytes).tx();
        } catch (IllegalArgumentException e) {
            throw new DamagedObjectException("these bytes are not a transaction: " + e.getMessage(), e);
        }
        if (!Arrays.equals(tx.bytes(), bytes)) {
            throw new DamagedObjectException("these bytes are a transaction, but not in canonical form");
        }
        return tx;
    }

    private Tx tx() throws DamagedObjectException {
        long[] numbers = new long[FIELDS + 1];
        byte[][] texts = new byte[FIELDS + 1][0];
        while (position < bytes.length) {
            long tag = varint();
            int field = (int) (tag >>> 3);
            if (tag >>> 3 < 1 || tag >>> 3 > FIELDS) {
                throw new DamagedObjectException("a transaction has no field " + (tag >>> 3));
            }
            if ((tag & 7) == TxWriter.VARINT) {
                numbers[field] = varint();
            } else if ((tag & 7) == TxWriter.DELIMITED) {
                texts[field] = delimited();
            } else {
                throw new DamagedObjectException("field " + field + " of a transaction has the wrong type");
            }
        }
        return new Tx(
                Ulid.parse(text(texts[1])),
                numbers[2],
                StreamId.of(text(texts[3]), text(texts[4])),
                Op.number(numbers[5]),
                text(texts[6]),
                text(texts[7]),
                TxHash.at(texts[8]),
                schemaVersion(numbers[9]),
                TxHash.at(texts[10]),
                text(texts[11]));
    }

    private static int schemaVersion(long number) throws DamagedObjectException {
        if (number < 0 || number > Integer.MAX_VALUE) {
            throw new DamagedObjectException("invalid schema version " + number);
        }
        return (int) number;
    }

    private static String text(byte[] utf8) {
        return new String(utf8, UTF_8);
    }

    private long varint() throws DamagedObjectException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (position >= bytes.length) {
                break;
            }
            byte next = bytes[position++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new DamagedObjectException("a transaction ends within a number");
    }

    private byte[] delimited() throws DamagedObjectException {
        long length = varint();
        if (length < 0 || length > bytes.length - position) {
            throw new DamagedObjectException("a transaction ends within a field");
        }
        byte[] value = Arrays.copyOfRange(bytes, position, position + (int) length);
        position += (int) length;
        return value;
    }
}
