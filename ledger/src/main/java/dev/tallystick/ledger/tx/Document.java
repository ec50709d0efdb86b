package dev.tallystick.ledger.tx;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.ledger.json.JsonPatch;

/** A document at its newest or at an earlier version. */
public sealed interface Document {

    /** Every document, patch and record of conflicts is within these limits. */
    JsonLimits LIMITS = JsonPatch.LIMITS;

    StreamId stream();

    /** The expected head of the next write. */
    TxHash head();

    record Present(StreamId stream, int version, TxHash head, Json body) implements Document {}

    record Deleted(StreamId stream, int version, TxHash head) implements Document {}

    /** Nothing was ever written here. */
    record Absent(StreamId stream) implements Document {

        @Override
        public TxHash head() {
            return TxHash.NONE;
        }
    }
}
