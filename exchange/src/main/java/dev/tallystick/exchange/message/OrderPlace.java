package dev.tallystick.exchange.message;

/**
 * The place of a posting among those with the same order key. The consumer handles them in the order of their numbers.
 *
 * @param number 1 for the first posting with this key, and one more for each further one
 */
public record OrderPlace(String key, long number) {

    static final int MAX_KEY = 128;

    public OrderPlace {
        requireKey(key);
        if (number < 1) {
            throw new IllegalArgumentException("places are counted from 1, got " + number);
        }
    }

    public static void requireKey(String key) {
        if (key.isEmpty() || key.length() > MAX_KEY || key.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("an order key has 1 to " + MAX_KEY + " characters and no NUL");
        }
    }
}
