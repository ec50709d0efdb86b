package dev.tallystick.core;

import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;

/**
 * A 128-bit id, written as 26 characters (0 to 9 and A to Z without I, L, O and U) that sort by time. The first 48 bits are
 * milliseconds since 1970.
 */
public record Ulid(long high, long low) implements Comparable<Ulid> {

    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final int LENGTH = 26;
    private static final int BITS_PER_CHARACTER = 5;
    private static final char LARGEST_FIRST_CHARACTER = '7';

    private static final Comparator<Ulid> ORDER = Comparator.<Ulid>comparingLong(ulid -> ulid.high ^ Long.MIN_VALUE)
            .thenComparingLong(ulid -> ulid.low ^ Long.MIN_VALUE);

    /** The same 128 bits; a version 7 UUID has its time in the same place as a ULID. */
    public static Ulid of(UUID uuid) {
        return new Ulid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    /** Parses exactly the output of {@link #toString()}: upper case and no look-alikes, so that each id has one text. */
    public static Ulid parse(String text) {
        if (text.length() != LENGTH) {
            throw new IllegalArgumentException("a ULID must have 26 characters, got " + text.length());
        }
        if (text.charAt(0) > LARGEST_FIRST_CHARACTER) {
            throw new IllegalArgumentException("a ULID has 128 bits, so it must begin with 0 to 7");
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < LENGTH; i++) {
            int digit = ALPHABET.indexOf(text.charAt(i));
            if (digit < 0) {
                throw new IllegalArgumentException("character " + (i + 1) + " of this ULID is not one of " + ALPHABET);
            }
            high = high << BITS_PER_CHARACTER | low >>> (Long.SIZE - BITS_PER_CHARACTER);
            low = low << BITS_PER_CHARACTER | digit;
        }
        return new Ulid(high, low);
    }

    public UUID uuid() {
        return new UUID(high, low);
    }

    public Instant instant() {
        return Instant.ofEpochMilli(high >>> 16);
    }

    @Override
    public int compareTo(Ulid other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        char[] text = new char[LENGTH];
        long restHigh = high;
        long restLow = low;
        for (int i = LENGTH - 1; i >= 0; i--) {
            text[i] = ALPHABET.charAt((int) (restLow & 0x1f));
            restLow = restLow >>> BITS_PER_CHARACTER | restHigh << (Long.SIZE - BITS_PER_CHARACTER);
            restHigh >>>= BITS_PER_CHARACTER;
        }
        return new String(text);
    }
}
