package dev.tallystick.engine;

/** Brings a {@link Move} to its end, with as many attempts as it takes. */
@FunctionalInterface
interface Moves {

    Moved bring(Move move);
}
