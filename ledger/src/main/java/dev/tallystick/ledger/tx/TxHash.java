package dev.tallystick.ledger.tx;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Digests;
import java.util.HexFormat;

/** SHA-256 of a transaction's bytes in lower-case hex; empty for the head of an empty stream. */
public record TxHash(String hex) {

    public static final TxHash NONE = new TxHash("");

    public static final int HEX = 64;

    public TxHash {
        if (!hex.isEmpty() && (hex.length() != HEX || !Digests.isLowerHex(hex))) {
            throw new IllegalArgumentException("a transaction's hash has 64 lower-case hex digits, got '" + hex + "'");
        }
    }

    public static TxHash of(byte[] transaction) {
        return new TxHash(HexFormat.of().formatHex(Digests.sha256().digest(transaction)));
    }

    static TxHash at(byte[] raw) {
        return raw.length == 0 ? NONE : new TxHash(HexFormat.of().formatHex(raw));
    }

    public boolean isNone() {
        return hex.isEmpty();
    }

    public byte[] raw() {
        return HexFormat.of().parseHex(hex);
    }

    /** How a stream's {@code HEAD} file writes it. */
    public byte[] line() {
        return (hex + "\n").getBytes(US_ASCII);
    }

    public static TxHash parseLine(byte[] line) throws DamagedObjectException {
        String text = new String(line, US_ASCII);
        if (text.length() != HEX + 1 || text.charAt(HEX) != '\n' || !Digests.isLowerHex(text.substring(0, HEX))) {
            throw new DamagedObjectException("a stream's HEAD does not name a transaction");
        }
        return new TxHash(text.substring(0, HEX));
    }

    @Override
    public String toString() {
        return hex;
    }
}
