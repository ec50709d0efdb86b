package dev.tallystick.ledger;

import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.json.JsonPatch;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import java.security.SecureRandom;
import java.time.InstantSource;

/** Shorthands for what tests write. */
public final class Writes {

    private static final Ids IDS = new Ids(InstantSource.system(), new SecureRandom());

    private Writes() {}

    public static Ulid id() {
        return IDS.nextUlid();
    }

    public static Write put(StreamId stream, TxHash head, String body) {
        return new Write(stream, new Change.Put(Json.parse(body)), head, id());
    }

    public static Write patch(StreamId stream, TxHash head, String operations) {
        return new Write(stream, new Change.Patch(JsonPatch.of(Json.parse(operations))), head, id());
    }

    public static Write delete(StreamId stream, TxHash head) {
        return new Write(stream, new Change.Delete(), head, id());
    }

    public static Write revert(StreamId stream, TxHash head, int version) {
        return new Write(stream, new Change.Revert(version), head, id());
    }

    /** Appends and requires success. */
    public static TxHash done(Ledger ledger, Write write) {
        Append append = ledger.append(write);
        if (append instanceof Append.Appended appended) {
            return appended.head();
        }
        throw new AssertionError("expected Appended, got " + append);
    }
}
