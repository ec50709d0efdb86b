package dev.tallystick.ledger;

import dev.tallystick.core.Json;

/** What a caller wants done to a document. */
public sealed interface Change {

    /** The document shall be {@code body}. */
    record Put(Json body) implements Change {}

    /** The patch shall be applied to the document as it is at the expected head. */
    record Patch(JsonPatch patch) implements Change {}

    /** The document shall be no more. It can be put again, and reverted past this. */
    record Delete() implements Change {}

    /** The document shall be again what it was at {@code version}; a version at which it was deleted deletes it. */
    record Revert(int version) implements Change {}
}
