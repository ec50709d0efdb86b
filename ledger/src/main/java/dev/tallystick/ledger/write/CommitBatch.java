package dev.tallystick.ledger.write;

import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.PackBuilder;
import dev.tallystick.ledger.git.TreeEdit;
import dev.tallystick.ledger.history.Leaf;
import dev.tallystick.ledger.history.Schemas;
import dev.tallystick.ledger.history.StreamView;
import dev.tallystick.ledger.history.VersionPath;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The writes of one commit, checked in order against the heads that the earlier ones leave. {@link #tell} gives the answers
 * once the commit is on disk: until then even a refusal is uncertain, because it may depend on an earlier write of the batch.
 */
public final class CommitBatch {

    private record Head(TxHash hash, int version) {}

    private record Accepted(Pending write, int version) {}

    private final View base;
    private final long position;
    private final ObjectStore store;
    private final TreeEdit edit;
    private final Map<StreamId, Head> heads = new HashMap<>();
    private final Map<Collection, Integer> schemas = new HashMap<>();
    private final List<Accepted> accepted = new ArrayList<>();
    private final List<Pending> moved = new ArrayList<>();
    private final List<Pending> schemaChanged = new ArrayList<>();
    private final List<byte[]> files = new ArrayList<>();
    private final List<Leaf> leaves = new ArrayList<>();
    private View result;

    /** @param position the commit's position in the chain of roots */
    public CommitBatch(View base, long position, ObjectStore store) throws IOException {
        this.base = base;
        this.position = position;
        this.store = store;
        this.edit = TreeEdit.of(store, base.tree());
        this.result = base;
    }

    public void add(Pending write) throws IOException {
        switch (write) {
            case Pending.Transaction transaction -> add(transaction);
            case Pending.NewFile file -> add(file);
        }
    }

    private void add(Pending.Transaction write) throws IOException {
        StreamId stream = write.tx().stream();
        Head head = head(stream);
        if (!head.hash.equals(write.tx().parent())) {
            moved.add(write);
        } else if (write.tx().schemaVersion() != schemaVersion(stream.collection())) {
            schemaChanged.add(write);
        } else {
            int version = head.version + 1;
            List<String> place = VersionPath.of(version);
            TreeEdit directory = edit.directory(write.path());
            directory.put(StreamView.HEAD, Oid.of(ObjectType.BLOB, write.hash().line()));
            directory
                    .directory(place.subList(0, place.size() - 1))
                    .put(place.getLast(), Oid.of(ObjectType.BLOB, write.bytes()));
            heads.put(stream, new Head(write.hash(), version));
            leaves.add(Leaf.of(write.hash()));
            accepted.add(new Accepted(write, version));
        }
    }

    private void add(Pending.NewFile file) throws IOException {
        TreeEdit directory = edit.directory(file.directory());
        if (directory.entry(file.name()).isPresent()) {
            moved.add(file);
            return;
        }
        byte[] content = file.contentAt().apply(position);
        directory.put(file.name(), Oid.of(ObjectType.BLOB, content));
        leaves.add(Leaf.of(file.path(), content));
        files.add(content);
        accepted.add(new Accepted(file, 0));
    }

    boolean isEmpty() {
        return accepted.isEmpty();
    }

    public List<Leaf> leaves() {
        return leaves;
    }

    public String subject() {
        return "Append " + accepted.size() + (accepted.size() == 1 ? " entry" : " entries");
    }

    public Oid writeTo(PackBuilder pack) throws IOException {
        for (Accepted write : accepted) {
            switch (write.write) {
                case Pending.Transaction transaction -> {
                    pack.add(ObjectType.BLOB, transaction.bytes());
                    pack.add(ObjectType.BLOB, transaction.hash().line());
                }
                case Pending.NewFile file -> {}
            }
        }
        files.forEach(content -> pack.add(ObjectType.BLOB, content));
        return edit.writeTo(pack);
    }

    /** Reads nothing: once {@code main} has moved, no failure may look like a refusal. */
    void committed(Oid commit, Oid tree) {
        result = new View(store, commit, tree);
    }

    void tell() {
        for (Accepted write : accepted) {
            write.write.verdict().complete(new Pending.Verdict.Committed(write.version, result.commit()));
        }
        moved.forEach(write -> write.verdict().complete(new Pending.Verdict.Moved(result)));
        schemaChanged.forEach(write -> write.verdict().complete(new Pending.Verdict.SchemaChanged()));
    }

    private Head head(StreamId id) throws IOException {
        Head known = heads.get(id);
        if (known != null) {
            return known;
        }
        Optional<StreamView> stream = base.stream(id);
        Head head =
                stream.isPresent() ? new Head(stream.get().head(), stream.get().version()) : new Head(TxHash.NONE, 0);
        heads.put(id, head);
        return head;
    }

    private int schemaVersion(Collection collection) throws IOException {
        Integer known = schemas.get(collection);
        if (known != null) {
            return known;
        }
        int version = Schemas.version(base, collection);
        schemas.put(collection, version);
        return version;
    }
}
