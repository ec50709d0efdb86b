package dev.tallystick.keys;

/**
 * Who runs handlers. A name that an instance keeps over restarts lets it clean up after itself: see
 * {@link KeyLedger#recover}. No two live instances share one.
 */
public record KeyOwner(String name) {

    public static final int MAX_LENGTH = 255;

    public KeyOwner {
        Names.check("the name of an owner", name, MAX_LENGTH);
    }

    @Override
    public String toString() {
        return name;
    }
}
