package dev.tallystick.keys;

import org.jspecify.annotations.Nullable;

/** What came of a settlement. Each says what is true once the transaction commits. */
public sealed interface Settle {

    /** The entry says what the verdict said; by this attempt, or by an earlier one whose reply was lost. */
    record Settled(KeyEntry entry) implements Settle {}

    /** The reservation is gone and left nothing behind; by this attempt, or by an earlier one whose reply was lost. */
    record Released() implements Settle {}

    /**
     * Nothing was written: the reservation was not there any more, or has been settled otherwise.
     *
     * @param entry what is there instead; null if there is nothing
     */
    record Overruled(@Nullable KeyEntry entry) implements Settle {}
}
