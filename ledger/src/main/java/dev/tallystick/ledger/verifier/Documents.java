package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.document.CanonicalText;
import dev.tallystick.ledger.verifier.document.MergeRule;
import dev.tallystick.ledger.verifier.document.Replay;
import dev.tallystick.ledger.verifier.git.ObjectCache;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What transactions make of documents: patches apply, snapshots are what the patches lead to, and every document conforms to
 * the schema in force.
 */
final class Documents {

    /** So many patches follow a snapshot; the next one brings a snapshot along. */
    private static final int MOST_PATCHES = 50;

    private static final long LARGEST_CACHE = 16L << 20;

    /** A parsed document takes about so many times the memory of its text. */
    private static final int PARSED = 8;

    /**
     * A document as a transaction leaves it.
     *
     * @param document null if it is deleted
     * @param patches how many lie between the last snapshot and here
     * @param bytes how long its text is at most
     */
    private record State(@Nullable JsonNode document, int patches, int bytes) {}

    /** Gives out earlier versions of a stream. */
    interface Versions {
        Transaction read(int version) throws IOException, Unsound;
    }

    private final SchemaCheck schemas;

    /** By hash of the transaction. A document is changed in place, so its state is taken out when the next patch comes. */
    private final ObjectCache<State> states =
            new ObjectCache<>(Math.min(LARGEST_CACHE, Runtime.getRuntime().maxMemory() / 12));

    Documents(ObjectFiles objects) {
        this.schemas = new SchemaCheck(objects);
    }

    /**
     * Checks a transaction that was added to a stream.
     *
     * @param schemaTree the tree of schemas in force
     */
    void check(Transaction transaction, int version, Versions stream, String schemaTree) throws IOException, Unsound {
        try {
            checkTexts(transaction);
            int inForce = schemas.inForce(schemaTree, transaction.collection());
            // A MERGE of documents of which neither conforms has none.
            boolean unchecked = transaction.isMerge() && transaction.schema() == 0;
            if (transaction.schema() != inForce && !unchecked) {
                throw new Unsound("it names schema " + transaction.schema() + ", and " + inForce + " is in force");
            }
            if (transaction.isDelete()) {
                if (stream.read(version - 1).leavesNothing()) {
                    throw new Unsound("it deletes a document that is not there");
                }
                return;
            }
            State state = transaction.isPatch()
                    ? patched(transaction, version, stream)
                    : inForce == 0 || unchecked ? null : snapshot(transaction);
            JsonNode document = state == null ? null : state.document;
            if (state != null
                    && document != null
                    && !unchecked
                    && !schemas.conforms(schemaTree, transaction.collection(), inForce, document, state.bytes)) {
                throw new Unsound("its document does not conform to schema " + inForce);
            }
            if (state != null && transaction.isPatch()) {
                states.put(transaction.hash(), state, PARSED * state.bytes);
            }
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw new Unsound("its document cannot be read: " + Unsound.reason(e));
        }
    }

    /** The document at a version that was checked before; null if there is none then. */
    @Nullable
    JsonNode at(int version, Versions stream) throws IOException, Unsound {
        try {
            return replayed(version, stream).document;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw new Unsound("its document cannot be read: " + Unsound.reason(e));
        }
    }

    /** Checks that a MERGE is what its rule makes of two documents and of the one that both come from. */
    void checkMerge(
            Transaction merge,
            @Nullable JsonNode base,
            @Nullable JsonNode first,
            @Nullable JsonNode second,
            String schemaTree)
            throws IOException, Unsound {
        MergeRule rule = MergeRule.joining(base, first, second);
        if (!conforms(merge, rule.result(), schemaTree)) {
            rule = MergeRule.keepingFirst(base, first, second);
        }
        int schema = conforms(merge, rule.result(), schemaTree) ? schemas.inForce(schemaTree, merge.collection()) : 0;
        JsonNode snapshot = merge.leavesNothing() ? null : Replay.parse(merge.snapshot());
        JsonNode conflicts = merge.conflicts().isEmpty() ? null : Replay.parse(merge.conflicts());
        if (!Objects.equals(snapshot, rule.result())) {
            throw new Unsound("its snapshot is not what joining the two documents leads to");
        }
        if (!Objects.equals(conflicts, rule.conflicts().isEmpty() ? null : rule.conflicts())) {
            throw new Unsound("its conflicts are not those of the two documents");
        }
        if (merge.schema() != schema) {
            throw new Unsound("it names schema " + merge.schema() + ", and it should be " + schema);
        }
    }

    private boolean conforms(Transaction merge, @Nullable JsonNode document, String schemaTree)
            throws IOException, Unsound {
        int inForce = schemas.inForce(schemaTree, merge.collection());
        return document == null
                || schemas.conforms(
                        schemaTree,
                        merge.collection(),
                        inForce,
                        document,
                        document.toString().length());
    }

    private static void checkTexts(Transaction transaction) throws Unsound {
        for (byte[] json : transaction.jsonTexts()) {
            if (json.length > CanonicalText.LONGEST) {
                throw new Unsound("its JSON is longer than " + CanonicalText.LONGEST + " bytes");
            }
            if (json.length > 0 && !CanonicalText.isCanonical(json)) {
                throw new Unsound("its JSON is not in canonical form");
            }
        }
    }

    private State patched(Transaction transaction, int version, Versions stream) throws IOException, Unsound {
        State before = states.take(transaction.parent());
        State state = apply(before == null ? replayed(version - 1, stream) : before, transaction);
        if (!transaction.snapshot().isEmpty()
                && !Replay.parse(transaction.snapshot()).equals(state.document)) {
            throw new Unsound("its snapshot is not what its patches lead to");
        }
        return transaction.snapshot().isEmpty() ? state : snapshot(transaction);
    }

    /** The document at a version that was checked before. */
    private State replayed(int version, Versions stream) throws IOException, Unsound {
        Deque<Transaction> patches = new ArrayDeque<>();
        int at = version;
        Transaction transaction = stream.read(at);
        while (transaction.isPatch() && transaction.snapshot().isEmpty()) {
            if (patches.size() == MOST_PATCHES) {
                throw new Unsound("more than " + MOST_PATCHES + " patches follow each other without a snapshot");
            }
            patches.push(transaction);
            transaction = stream.read(--at);
        }
        State state = snapshot(transaction);
        while (!patches.isEmpty()) {
            state = apply(state, patches.pop());
        }
        return state;
    }

    private static State snapshot(Transaction transaction) {
        return transaction.leavesNothing()
                ? new State(null, 0, 0)
                : new State(Replay.parse(transaction.snapshot()), 0, transaction.snapshotBytes());
    }

    private static State apply(State before, Transaction patch) throws Unsound {
        if (before.document == null) {
            throw new Unsound("it patches a document that is not there");
        }
        if (before.patches == MOST_PATCHES && patch.snapshot().isEmpty()) {
            throw new Unsound("more than " + MOST_PATCHES + " patches follow each other without a snapshot");
        }
        JsonNode after = Replay.apply(before.document, patch.patch());
        int bytes = before.bytes + patch.patchBytes();
        // Only copying makes a document longer than it was before plus the patch.
        if (bytes > CanonicalText.LONGEST || patch.patch().contains("\"copy\"")) {
            bytes = CanonicalText.length(after);
            if (bytes > CanonicalText.LONGEST) {
                throw new Unsound("it makes its document longer than " + CanonicalText.LONGEST + " bytes");
            }
        }
        return new State(after, before.patches + 1, bytes);
    }
}
