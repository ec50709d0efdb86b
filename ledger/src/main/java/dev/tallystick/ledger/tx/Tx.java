package dev.tallystick.ledger.tx;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.json.JsonMerge;

/**
 * One transaction of a stream: TxV3. Snapshot and patch are canonical JSON (RFC 8785), or empty if absent. The bytes of a
 * transaction are a function of its value, so its hash is its identity.
 *
 * @param timestamp nanoseconds since 1970 by the writer's clock; order comes from {@code parent}, never from here
 * @param parent the head that this was built on
 * @param schemaVersion the version of the collection's schema that the result conforms to; 0 if there is none
 * @param merged the other head; only for {@link Op#MERGE}
 * @param conflicts what both sides changed, see {@link JsonMerge}; only for {@link Op#MERGE}, empty if there were none
 */
public record Tx(
        Ulid txId,
        long timestamp,
        StreamId stream,
        Op op,
        String snapshot,
        String patch,
        TxHash parent,
        int schemaVersion,
        TxHash merged,
        String conflicts) {

    public Tx {
        boolean shaped = switch (op) {
            case PUT -> !snapshot.isEmpty() && patch.isEmpty();
            case PATCH -> !patch.isEmpty() && !parent.isNone();
            case DELETE -> snapshot.isEmpty() && patch.isEmpty() && !parent.isNone();
            case MERGE -> patch.isEmpty() && !parent.isNone() && !merged.isNone();
        };
        if (!shaped || (op != Op.MERGE && !(merged.isNone() && conflicts.isEmpty()))) {
            throw new IllegalArgumentException("a " + op + " does not have these parts");
        }
        if (timestamp < 0 || schemaVersion < 0) {
            throw new IllegalArgumentException("time and schema version must not be negative");
        }
    }

    /** Whether a reader that goes back in time can stop here. */
    public boolean endsReplay() {
        return op != Op.PATCH || !snapshot.isEmpty();
    }

    public byte[] bytes() {
        TxWriter out = new TxWriter();
        out.bytes(1, txId.toString().getBytes(UTF_8));
        out.number(2, timestamp);
        out.bytes(3, stream.collection().name().getBytes(UTF_8));
        out.bytes(4, stream.document().getBytes(UTF_8));
        out.number(5, op.number());
        out.bytes(6, snapshot.getBytes(UTF_8));
        out.bytes(7, patch.getBytes(UTF_8));
        out.bytes(8, parent.raw());
        out.number(9, schemaVersion);
        out.bytes(10, merged.raw());
        out.bytes(11, conflicts.getBytes(UTF_8));
        return out.toBytes();
    }

    public static Tx parse(byte[] bytes) throws DamagedObjectException {
        return TxParser.parse(bytes);
    }
}
