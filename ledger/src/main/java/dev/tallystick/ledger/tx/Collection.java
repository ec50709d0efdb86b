package dev.tallystick.ledger.tx;

/**
 * A collection of documents. The name becomes a directory in every clone, so it allows only what every file system and every
 * {@code git} takes unchanged: lower case, so that no two names differ only by case, and no dots.
 */
public record Collection(String name) implements Comparable<Collection> {

    public static final int LONGEST = 64;

    public Collection {
        if (name.isEmpty() || name.length() > LONGEST) {
            throw new IllegalArgumentException("a collection's name has 1 to 64 characters, not " + name.length());
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (!plain && (i == 0 || (c != '-' && c != '_'))) {
                throw new IllegalArgumentException(
                        "a collection's name consists of a-z, 0-9, - and _ and begins with a letter or digit");
            }
        }
    }

    @Override
    public int compareTo(Collection other) {
        return name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return name;
    }
}
