package dev.tallystick.keys;

import org.jspecify.annotations.Nullable;

/** The result of a settlement. Each case says what is true once the transaction commits. */
public sealed interface Settle {

    /** The entry holds the verdict; written by this attempt, or by an earlier one whose reply was lost. */
    record Settled(KeyEntry entry) implements Settle {}

    /**
     * The reservation is gone and left nothing behind; released by this attempt, or by an earlier one whose reply was lost.
     */
    record Released() implements Settle {}

    /**
     * Nothing was written: the reservation was gone, or has been settled differently.
     *
     * @param entry the current entry; null if there is none
     */
    record Overruled(@Nullable KeyEntry entry) implements Settle {}
}
