package dev.tallystick.ledger.git;

/** A whole object in memory. The content is shared and never modified. */
@SuppressWarnings("ArrayRecordComponent") // compared by id, never by value
public record GitObject(ObjectType type, byte[] content) {

    Oid id() {
        return Oid.of(type, content);
    }
}
