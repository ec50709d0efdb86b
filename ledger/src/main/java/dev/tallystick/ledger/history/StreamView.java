package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One stream as of one commit. */
public record StreamView(View view, StreamId id, TxHash head, int version, Oid directory) {

    public static final String HEAD = "HEAD";

    /** Holds, under the version of each MERGE, the directory of the merged history. */
    public static final String MERGED = "merged";

    /** The transaction of this version, checked to belong here. */
    public Tx transaction(int wanted) throws IOException {
        return Tx.parse(bytes(wanted));
    }

    public byte[] bytes(int wanted) throws IOException {
        return view.blob(file(wanted));
    }

    /** The object ID of the transaction. Equal IDs at equal versions mean equal histories so far: each names its parent. */
    Oid file(int wanted) throws IOException {
        return view.find(directory, VersionPath.of(wanted))
                .orElseThrow(() -> new DamagedObjectException("stream " + id + " lacks version " + wanted))
                .id();
    }

    /** The versions that are MERGEs, in the order of their names. */
    List<String> merges() throws IOException {
        Optional<Tree.Entry> all = allMerged();
        List<String> names = new ArrayList<>();
        if (all.isPresent()) {
            view.entries(all.get().id()).forEach(entry -> names.add(entry.name()));
        }
        return names;
    }

    /** The history merged by the MERGE of this version; empty if that version is not a MERGE. */
    public Optional<StreamView> merged(String merge) throws IOException {
        Optional<Tree.Entry> entry = view.find(directory, List.of(MERGED, merge));
        return entry.isPresent() ? Optional.of(view.stream(id, entry.get().id())) : Optional.empty();
    }

    /** Equal if and only if two states of a stream have the same branches. */
    public Optional<Tree.Entry> allMerged() throws IOException {
        return view.find(directory, List.of(MERGED));
    }

    /** This stream as if it ended with {@code last}, which may be 0; does not look up its head. */
    public StreamView upTo(int last) {
        return new StreamView(view, id, head, last, directory);
    }

    /** Whether transaction {@code number} of {@code other} is one of this stream's, merged ones included. */
    public boolean contains(StreamView other, int number) throws IOException {
        Oid wanted = other.file(number);
        Set<Oid> met = new HashSet<>();
        Deque<StreamView> open = new ArrayDeque<>(List.of(this));
        while (!open.isEmpty()) {
            StreamView at = open.pop();
            if (met.add(at.directory)) {
                if (number <= at.version && at.file(number).equals(wanted)) {
                    return true;
                }
                for (String merge : at.merges()) {
                    at.merged(merge).ifPresent(open::push);
                }
            }
        }
        return false;
    }

    /** The newest transaction, whose hash must be what HEAD says. */
    public Tx newest() throws IOException {
        byte[] bytes = bytes(version);
        if (!TxHash.of(bytes).equals(head)) {
            throw new DamagedObjectException("HEAD of stream " + id + " does not name its version " + version);
        }
        return Tx.parse(bytes);
    }
}
