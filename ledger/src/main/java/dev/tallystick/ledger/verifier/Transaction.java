package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** TxV3, read field by field; fields may stand only where the format has them. */
@SuppressWarnings("ArrayRecordComponent") // compared by hash only
record Transaction(String hash, byte[][] texts, long[] numbers) {

    private static final int TX_ID = 1;
    private static final int TIMESTAMP = 2;
    private static final int COLLECTION = 3;
    private static final int DOCUMENT = 4;
    private static final int OP = 5;
    private static final int SNAPSHOT = 6;
    private static final int PATCH = 7;
    private static final int PARENT = 8;
    private static final int SCHEMA = 9;
    private static final int MERGED = 10;
    private static final int CONFLICTS = 11;

    private static final int LONGEST_DOCUMENT_NAME = 1024;
    private static final Pattern COLLECTION_NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");
    private static final Pattern ULID = Pattern.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}");

    static Transaction parse(byte[] bytes) throws Unsound {
        byte[][] texts = new byte[CONFLICTS + 1][0];
        long[] numbers = new long[CONFLICTS + 1];
        int[] at = {0};
        int last = 0;
        ByteArrayOutputStream again = new ByteArrayOutputStream(bytes.length);
        while (at[0] < bytes.length) {
            long tag = varint(bytes, at, again);
            int field = (int) Math.min(tag >>> 3, CONFLICTS + 1L);
            boolean number = field == TIMESTAMP || field == OP || field == SCHEMA;
            if (field <= last || field > CONFLICTS || (tag & 7) != (number ? 0 : 2)) {
                throw new Unsound("a transaction's fields are not in order");
            }
            last = field;
            long value = varint(bytes, at, again);
            if (value == 0) {
                throw new Unsound("a transaction spells out what is left out");
            }
            if (number) {
                numbers[field] = value;
            } else {
                if (value > bytes.length - at[0]) {
                    throw new Unsound("a transaction is cut short");
                }
                texts[field] = Arrays.copyOfRange(bytes, at[0], at[0] + (int) value);
                again.writeBytes(texts[field]);
                at[0] += (int) value;
            }
        }
        Transaction transaction = new Transaction(Hashes.hex(Hashes.sha256(bytes)), texts, numbers);
        if (!Arrays.equals(again.toByteArray(), bytes) || !transaction.isShaped()) {
            throw new Unsound("a transaction is not in its one form");
        }
        return transaction;
    }

    String id() {
        return text(TX_ID);
    }

    String stream() {
        return text(COLLECTION) + "/" + text(DOCUMENT);
    }

    String collection() {
        return text(COLLECTION);
    }

    String parent() {
        return Hashes.hex(texts[PARENT]);
    }

    boolean isPatch() {
        return numbers[OP] == 2;
    }

    boolean isDelete() {
        return numbers[OP] == 3;
    }

    /** Whether there is no document after it. */
    boolean leavesNothing() {
        return isDelete() || (isMerge() && texts[SNAPSHOT].length == 0);
    }

    /** What must be canonical JSON, as far as it is there. */
    List<byte[]> jsonTexts() {
        return List.of(texts[SNAPSHOT], texts[PATCH], texts[CONFLICTS]);
    }

    boolean isMerge() {
        return numbers[OP] == 4;
    }

    /** The other head that a MERGE joins. */
    String merged() {
        return Hashes.hex(texts[MERGED]);
    }

    String snapshot() {
        return text(SNAPSHOT);
    }

    int snapshotBytes() {
        return texts[SNAPSHOT].length;
    }

    String patch() {
        return text(PATCH);
    }

    int patchBytes() {
        return texts[PATCH].length;
    }

    String conflicts() {
        return text(CONFLICTS);
    }

    long schema() {
        return numbers[SCHEMA];
    }

    /** The last part of the path where this belongs. */
    String directory() {
        return "DOC_" + Hashes.hex(Hashes.sha256(stream().getBytes(UTF_8)));
    }

    private boolean isShaped() {
        boolean snapshot = texts[SNAPSHOT].length > 0;
        boolean patch = texts[PATCH].length > 0;
        boolean merged = texts[MERGED].length > 0;
        boolean hashes =
                (texts[PARENT].length == 0 || texts[PARENT].length == 32) && (!merged || texts[MERGED].length == 32);
        boolean op = switch (op()) {
            case 1 -> snapshot && !patch && !merged;
            case 2 -> patch && !merged && texts[PARENT].length == 32;
            case 3 -> !snapshot && !patch && !merged && texts[PARENT].length == 32;
            case 4 -> !patch && merged && texts[PARENT].length == 32;
            default -> false;
        };
        boolean conflicts = texts[CONFLICTS].length == 0 || isMerge();
        boolean named = isCollectionName(collection()) && isDocumentName(texts[DOCUMENT]);
        return hashes
                && op
                && conflicts
                && named
                && numbers[SCHEMA] <= Integer.MAX_VALUE
                && ULID.matcher(text(TX_ID)).matches();
    }

    private int op() {
        return numbers[OP] > 4 ? 0 : (int) numbers[OP];
    }

    static boolean isCollectionName(String name) {
        return COLLECTION_NAME.matcher(name).matches();
    }

    private static boolean isDocumentName(byte[] utf8) {
        String name = new String(utf8, UTF_8);
        boolean plain = utf8.length > 0 && utf8.length <= LONGEST_DOCUMENT_NAME;
        for (int i = 0; plain && i < name.length(); i++) {
            plain = !Character.isISOControl(name.charAt(i));
        }
        return plain && Arrays.equals(name.getBytes(UTF_8), utf8);
    }

    private String text(int field) {
        return new String(texts[field], UTF_8);
    }

    private static long varint(byte[] bytes, int[] at, ByteArrayOutputStream again) throws Unsound {
        long value = 0;
        for (int shift = 0; shift < 63 && at[0] < bytes.length; shift += 7) {
            int next = bytes[at[0]++];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                long rest = value;
                for (; rest > 0x7f; rest >>>= 7) {
                    again.write((int) (rest & 0x7f) | 0x80);
                }
                again.write((int) rest);
                return value;
            }
        }
        throw new Unsound("a transaction is cut short, or has a negative number");
    }
}
