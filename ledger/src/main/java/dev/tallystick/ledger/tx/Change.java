package dev.tallystick.ledger.tx;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.json.JsonPatch;

/** A change to a document. */
public sealed interface Change {

    /** Replaces the document with {@code body}. */
    record Put(Json body) implements Change {}

    /** Applies a patch to the document at the expected head. */
    record Patch(JsonPatch patch) implements Change {}

    /** Deletes the document. It can be put again, or reverted to an earlier version. */
    record Delete() implements Change {}

    /** Restores the document as of {@code version}; a version at which it was deleted deletes it. */
    record Revert(int version) implements Change {}
}
