package dev.tallystick.ledger.copies;

import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.PackBuilder;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.git.TreeEdit;
import dev.tallystick.ledger.history.DocumentState;
import dev.tallystick.ledger.history.Layout;
import dev.tallystick.ledger.history.Leaf;
import dev.tallystick.ledger.history.Schemas;
import dev.tallystick.ledger.history.StreamView;
import dev.tallystick.ledger.history.VersionPath;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.json.JsonMerge;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The tree of a merge: the first history's, plus what only the second one has. A stream that only one of them wrote to is taken
 * unchanged. A stream that both wrote to keeps the first one's transactions, gets the second one's beside them under
 * {@code merged/}, and a MERGE that names both heads. Not thread-safe.
 */
final class MergedTree {

    private static final int LEVELS_TO_A_STREAM = 5;

    private final View first;
    private final View second;
    private final Schemas schemas;
    private final Ids ids;
    private final InstantSource clock;
    private final TreeEdit edit;
    private final List<byte[]> blobs = new ArrayList<>();
    private final List<Leaf> leaves = new ArrayList<>();
    private final List<Merge.JoinedStream> joined = new ArrayList<>();

    MergedTree(ObjectStore store, View first, View second, Schemas schemas, Ids ids, InstantSource clock)
            throws IOException {
        this.first = first;
        this.second = second;
        this.schemas = schemas;
        this.ids = ids;
        this.clock = clock;
        this.edit = TreeEdit.of(store, first.tree());
    }

    /** Merges everything; returns the reason if that is impossible. */
    Optional<String> join(View base) throws IOException {
        Optional<String> refused = differentKeys(base);
        if (refused.isEmpty()) {
            refused = joinSchemas(base);
        }
        if (refused.isEmpty()) {
            refused = new ForeignFiles(base, second).join(edit);
        }
        return refused.isEmpty() ? joinDocuments(List.of(Layout.DOCUMENTS)) : refused;
    }

    List<Leaf> leaves() {
        return leaves;
    }

    List<Merge.JoinedStream> joined() {
        return joined;
    }

    Oid writeTo(PackBuilder pack) throws IOException {
        blobs.forEach(blob -> pack.add(ObjectType.BLOB, blob));
        return edit.writeTo(pack);
    }

    /** Signatures of a retired key after its time are worthless, and a ledger has a single line of keys. */
    private Optional<String> differentKeys(View base) throws IOException {
        Optional<Tree.Entry> before = entry(base, Layout.KEYS);
        Optional<Tree.Entry> one = entry(first, Layout.KEYS);
        Optional<Tree.Entry> other = entry(second, Layout.KEYS);
        if (one.equals(other)) {
            return Optional.empty();
        }
        return Optional.of(
                one.equals(before) || other.equals(before)
                        ? "the key was rotated in one copy, and the other was written to with the old key since;"
                                + " keep the copy with the new key, " + writeAgain(base)
                        : "the key was rotated in both copies; choose the one to keep, " + writeAgain(base));
    }

    private static String writeAgain(View base) {
        return "clone it again, and repeat there what 'tally ledger watch --since " + base.commit()
                + "' shows in the other copy";
    }

    /** Only one side may have new schemas: two different ones with one number would change the meaning of transactions. */
    private Optional<String> joinSchemas(View base) throws IOException {
        for (Tree.Entry collection : below(second, List.of(Layout.SCHEMAS))) {
            List<String> path = List.of(Layout.SCHEMAS, collection.name());
            List<Tree.Entry> theirs = second.entries(collection.id());
            List<Tree.Entry> ours = below(first, path);
            boolean theirsGoesOn = ours.size() < theirs.size();
            if (theirsGoesOn ? !theirs.containsAll(ours) : !ours.containsAll(theirs)) {
                return Optional.of("both copies put a schema of " + collection.name() + " into force, and they differ;"
                        + " choose the copy whose schema to keep, " + writeAgain(base));
            }
            if (theirsGoesOn) {
                edit.directory(Layout.SCHEMAS).graft(collection.name(), collection.id());
            }
        }
        return Optional.empty();
    }

    private Optional<String> joinDocuments(List<String> path) throws IOException {
        Optional<String> refused = Optional.empty();
        for (Tree.Entry theirs : below(second, path)) {
            List<String> child = new ArrayList<>(path);
            child.add(theirs.name());
            Optional<Tree.Entry> ours = first.find(child);
            if (ours.isEmpty()) {
                edit.directory(path).graft(theirs.name(), theirs.id());
            } else if (!ours.get().equals(theirs) && child.size() < LEVELS_TO_A_STREAM) {
                refused = joinDocuments(child);
            } else if (!ours.get().equals(theirs)) {
                refused = joinStream(path, theirs, ours.get());
            }
            if (refused.isPresent()) {
                return refused;
            }
        }
        return refused;
    }

    private Optional<String> joinStream(List<String> path, Tree.Entry theirs, Tree.Entry ours) throws IOException {
        StreamView one = first.namedStream(ours);
        StreamView other = second.namedStream(theirs);
        if (one.contains(other, other.version())) {
            return Optional.empty();
        }
        if (other.contains(one, one.version())) {
            edit.directory(path).graft(theirs.name(), theirs.id());
            return Optional.empty();
        }
        Optional<StreamView> ancestor = commonAncestor(one, other);
        Json before = ancestor.isPresent() ? body(ancestor.get()) : null;
        Json left = body(one);
        Json right = body(other);
        View schemaView = Schemas.version(first, one.id().collection())
                        >= Schemas.version(second, one.id().collection())
                ? first
                : second;
        try {
            JsonMerge.Result result = JsonMerge.of(before, left, right);
            if (!conforms(schemaView, one.id(), result.body())) {
                result = JsonMerge.keepingFirst(before, left, right);
            }
            int schema = conforms(schemaView, one.id(), result.body())
                    ? Schemas.version(schemaView, one.id().collection())
                    : 0;
            add(path, theirs, one, other, result, schema);
            return Optional.empty();
        } catch (JsonRefused e) {
            return Optional.of("both copies wrote " + one.id()
                    + ", and the merged document or the record of its conflicts" + " is too large: " + e.getMessage()
                    + "; put a smaller document in one of the copies, then merge again");
        }
    }

    private void add(
            List<String> path, Tree.Entry theirs, StreamView one, StreamView other, JsonMerge.Result result, int schema)
            throws IOException {
        Instant now = clock.instant();
        long nanos = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        String snapshot = result.body() == null ? "" : text(result.body());
        String conflicts = result.conflicts().elements().isEmpty() ? "" : text(result.conflicts());
        Tx tx = new Tx(
                ids.nextUlid(), nanos, one.id(), Op.MERGE, snapshot, "", one.head(), schema, other.head(), conflicts);
        byte[] bytes = tx.bytes();
        TxHash hash = TxHash.of(bytes);
        int version = one.version() + 1;
        List<String> place = VersionPath.of(version);
        TreeEdit stream = edit.directory(path).directory(theirs.name());
        stream.directory(place.subList(0, place.size() - 1)).put(place.getLast(), Oid.of(ObjectType.BLOB, bytes));
        stream.put(StreamView.HEAD, Oid.of(ObjectType.BLOB, hash.line()));
        stream.directory(StreamView.MERGED).graft(Integer.toString(version), theirs.id());
        blobs.add(bytes);
        blobs.add(hash.line());
        leaves.add(Leaf.of(hash));
        joined.add(new Merge.JoinedStream(one.id(), hash, version, result.conflicts()));
    }

    private boolean conforms(View view, StreamId id, @Nullable Json body) throws IOException {
        int version = Schemas.version(view, id.collection());
        return body == null
                || schemas.complaint(view, id.collection(), version, text(body)).isEmpty();
    }

    private static String text(Json json) {
        return json.canonical(Document.LIMITS);
    }

    /** The newest transaction of one side that the other has too, which implies all earlier ones. */
    private static Optional<StreamView> commonAncestor(StreamView one, StreamView other) throws IOException {
        StreamView left = one.upTo(shared(other, one));
        StreamView right = other.upTo(shared(one, other));
        StreamView newest = left.version() >= right.version() ? left : right;
        return newest.version() == 0 ? Optional.empty() : Optional.of(newest);
    }

    private static int shared(StreamView holder, StreamView line) throws IOException {
        int low = 0;
        int high = line.version();
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (holder.contains(line, middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private static @Nullable Json body(StreamView stream) throws IOException {
        Document document = DocumentState.at(stream, stream.version()).document();
        return document instanceof Document.Present present ? present.body() : null;
    }

    private static Optional<Tree.Entry> entry(View view, String name) throws IOException {
        return view.find(List.of(name));
    }

    private static List<Tree.Entry> below(View view, List<String> path) throws IOException {
        Optional<Tree.Entry> directory = view.find(path);
        return directory.isPresent() ? view.entries(directory.get().id()) : List.of();
    }
}
