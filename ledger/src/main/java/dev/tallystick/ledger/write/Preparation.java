package dev.tallystick.ledger.write;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.history.DocumentState;
import dev.tallystick.ledger.history.Schemas;
import dev.tallystick.ledger.history.StreamView;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.json.JsonPatch;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of a write that needs no lock, on the caller's thread: read the stream, apply the patch, check the schema, make the
 * transaction. The committer decides whether its head is still current.
 */
public final class Preparation {

    /** This many patches follow a snapshot; the next one includes a snapshot. */
    static final int PATCHES_PER_SNAPSHOT = 50;

    private final Schemas schemas;
    private final InstantSource clock;

    public Preparation(Schemas schemas, InstantSource clock) {
        this.schemas = schemas;
        this.clock = clock;
    }

    /** The result of preparing a write. */
    public sealed interface Prepared {
        record Ready(Pending.Transaction transaction) implements Prepared {}

        /** The stream has another head; the write may have been made already. */
        record Moved() implements Prepared {}

        record Wrong(String reason) implements Prepared {}
    }

    public Prepared prepare(View view, Write write) throws IOException {
        StreamView stream = view.stream(write.stream()).orElse(null);
        if (!write.expectedHead().equals(stream == null ? TxHash.NONE : stream.head())) {
            return new Prepared.Moved();
        }
        try {
            return switch (write.change()) {
                case Change.Put put -> ready(view, write, Op.PUT, put.body(), "");
                case Change.Patch patch -> patch(view, write, state(stream), patch.patch());
                case Change.Delete delete -> delete(view, write, state(stream));
                case Change.Revert revert -> revert(view, write, stream, revert.version());
            };
        } catch (IllegalArgumentException e) {
            return new Prepared.Wrong(String.valueOf(e.getMessage()));
        }
    }

    private Prepared patch(View view, Write write, @Nullable DocumentState state, JsonPatch patch) throws IOException {
        if (state == null || !(state.document() instanceof Document.Present before)) {
            return new Prepared.Wrong("there is no document " + write.stream() + " to patch");
        }
        Json after = patch.applyTo(before.body());
        boolean snapshot = state.patches() >= PATCHES_PER_SNAPSHOT;
        return ready(view, write, Op.PATCH, after, patch.operations().canonical(Document.LIMITS), snapshot);
    }

    private Prepared delete(View view, Write write, @Nullable DocumentState state) throws IOException {
        if (state == null || !(state.document() instanceof Document.Present)) {
            return new Prepared.Wrong("there is no document " + write.stream() + " to delete");
        }
        return transaction(view, write, Op.DELETE, "", "");
    }

    private Prepared revert(View view, Write write, @Nullable StreamView stream, int version) throws IOException {
        if (stream == null || version < 1 || version > stream.version()) {
            return new Prepared.Wrong(write.stream() + " has no version " + version);
        }
        return switch (DocumentState.at(stream, version).document()) {
            case Document.Present then -> ready(view, write, Op.PUT, then.body(), "");
            case Document.Deleted then -> delete(view, write, state(stream));
            case Document.Absent never -> throw new IllegalStateException("a version is present or deleted");
        };
    }

    private Prepared ready(View view, Write write, Op op, Json after, String patch) throws IOException {
        return ready(view, write, op, after, patch, true);
    }

    private Prepared ready(View view, Write write, Op op, Json after, String patch, boolean snapshot)
            throws IOException {
        String body = after.canonical(Document.LIMITS);
        Collection collection = write.stream().collection();
        Optional<String> complaint = schemas.complaint(view, collection, Schemas.version(view, collection), body);
        if (complaint.isPresent()) {
            return new Prepared.Wrong(complaint.get());
        }
        return transaction(view, write, op, snapshot ? body : "", patch);
    }

    private Prepared transaction(View view, Write write, Op op, String snapshot, String patch) throws IOException {
        Instant now = clock.instant();
        long nanos = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        int schema = Schemas.version(view, write.stream().collection());
        Tx tx = new Tx(
                write.txId(),
                nanos,
                write.stream(),
                op,
                snapshot,
                patch,
                write.expectedHead(),
                schema,
                TxHash.NONE,
                "");
        return new Prepared.Ready(Pending.Transaction.of(tx));
    }

    private static @Nullable DocumentState state(@Nullable StreamView stream) throws IOException {
        return stream == null ? null : DocumentState.at(stream, stream.version());
    }
}
