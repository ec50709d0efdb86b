package dev.tallystick.ledger.history;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.json.JsonPatch;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The document at some version, computed from its stream's transactions.
 *
 * @param patches the number of patches since the last snapshot
 */
public record DocumentState(Document document, int patches) {

    /** Goes back from {@code version} to the last snapshot, then applies the patches since. */
    public static DocumentState at(StreamView stream, int version) throws IOException {
        Deque<Tx> patches = new ArrayDeque<>();
        int at = version;
        Tx tx = stream.transaction(at);
        while (!tx.endsReplay()) {
            patches.push(tx);
            at--;
            if (at == 0) {
                throw new DamagedObjectException("stream " + stream.id() + " begins with a patch");
            }
            tx = stream.transaction(at);
        }
        int count = patches.size();
        Json body = tx.snapshot().isEmpty() ? null : json(stream.id(), tx.snapshot());
        for (Tx patch : patches) {
            body = apply(stream.id(), body, patch);
        }
        TxHash head = version == stream.version() ? stream.head() : TxHash.of(stream.bytes(version));
        Document document = body == null
                ? new Document.Deleted(stream.id(), version, head)
                : new Document.Present(stream.id(), version, head, body);
        return new DocumentState(document, count);
    }

    private static Json apply(StreamId id, @Nullable Json before, Tx patch) throws DamagedObjectException {
        if (before == null) {
            throw new DamagedObjectException("stream " + id + " patches a deleted document");
        }
        try {
            return JsonPatch.parse(patch.patch()).applyTo(before);
        } catch (IllegalArgumentException e) {
            throw new DamagedObjectException(
                    "stream " + id + " holds a patch that does not apply: " + e.getMessage(), e);
        }
    }

    private static Json json(StreamId id, String text) throws DamagedObjectException {
        try {
            return Json.parse(text, Document.LIMITS);
        } catch (JsonRefused e) {
            throw new DamagedObjectException("stream " + id + " holds invalid JSON: " + e.getMessage(), e);
        }
    }
}
