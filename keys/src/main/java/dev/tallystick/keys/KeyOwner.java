package dev.tallystick.keys;

/**
 * A process that runs handlers. An instance that keeps its name over restarts can clean up after itself: see
 * {@link KeyLedger#recover}. Two live instances never share a name.
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
