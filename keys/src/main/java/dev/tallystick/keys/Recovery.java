package dev.tallystick.keys;

/**
 * The decisions about the reservations of a dead owner.
 *
 * @param released how many had no effect and are free again
 * @param unknown how many may have had one, and wait until an operator finds out
 */
public record Recovery(int released, int unknown) {

    static final Recovery NOTHING = new Recovery(0, 0);

    Recovery plus(Recovery more) {
        return new Recovery(released + more.released, unknown + more.unknown);
    }

    int total() {
        return released + unknown;
    }
}
