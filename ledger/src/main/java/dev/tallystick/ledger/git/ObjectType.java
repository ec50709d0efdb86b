package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** The kinds of Git objects in a ledger, with their numbers in a pack. Tags may exist but are never read. */
public enum ObjectType {
    COMMIT(1),
    TREE(2),
    BLOB(3),
    TAG(4);

    private final int packed;
    private final String word;

    ObjectType(int packed) {
        this.packed = packed;
        this.word = name().toLowerCase(java.util.Locale.ROOT);
    }

    static ObjectType packed(int number) throws DamagedObjectException {
        for (ObjectType type : values()) {
            if (type.packed == number) {
                return type;
            }
        }
        throw new DamagedObjectException("a pack holds an object of unknown type " + number);
    }

    static ObjectType word(String word) throws DamagedObjectException {
        for (ObjectType type : values()) {
            if (type.word.equals(word)) {
                return type;
            }
        }
        throw new DamagedObjectException("unknown object type '" + word + "'");
    }

    int packed() {
        return packed;
    }

    /** The header that Git hashes before the content. */
    byte[] header(int length) {
        return (word + " " + length + "\0").getBytes(US_ASCII);
    }
}
