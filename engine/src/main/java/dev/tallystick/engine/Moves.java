package dev.tallystick.engine;

/** Brings a {@link Move} to its end, however often that must be tried. */
@FunctionalInterface
interface Moves {

    Moved bring(Move move);
}
