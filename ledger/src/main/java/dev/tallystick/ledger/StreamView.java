package dev.tallystick.ledger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One stream as one commit has it. */
record StreamView(View view, StreamId id, TxHash head, int version, Oid directory) {

    static final String HEAD = "HEAD";

    /** Holds, under the number of each MERGE, the directory of the history that it joined to this one. */
    static final String MERGED = "merged";

    /** The transaction of this version, checked to belong here. */
    Tx transaction(int wanted) throws IOException {
        return Tx.parse(bytes(wanted));
    }

    byte[] bytes(int wanted) throws IOException {
        return view.blob(file(wanted));
    }

    /** Where the transaction lies. Equal ids at equal numbers mean equal histories up to there: each names its parent. */
    Oid file(int wanted) throws IOException {
        return view.find(directory, VersionPath.of(wanted))
                .orElseThrow(() -> new DamagedObjectException("stream " + id + " lacks version " + wanted))
                .id();
    }

    /** The history that the MERGE of this version joined to this one; empty if that version is no MERGE. */
    Optional<StreamView> merged(int wanted) throws IOException {
        Optional<Tree.Entry> entry = view.find(directory, List.of(MERGED, Integer.toString(wanted)));
        return entry.isPresent() ? Optional.of(view.stream(id, entry.get().id())) : Optional.empty();
    }

    /** The histories that were joined to this one, of the first MERGE first. */
    List<StreamView> merged() throws IOException {
        Optional<Tree.Entry> all = view.find(directory, List.of(MERGED));
        List<StreamView> others = new ArrayList<>();
        if (all.isPresent()) {
            for (Tree.Entry entry : view.entries(all.get().id())) {
                others.add(view.stream(id, entry.id()));
            }
        }
        return others;
    }

    /** This stream as if it had ended with {@code last}, which may be 0; its head is not looked up. */
    StreamView upTo(int last) {
        return new StreamView(view, id, head, last, directory);
    }

    /** Whether the transaction that {@code other} has as its {@code number}th is one of this stream's, joined ones included. */
    boolean contains(StreamView other, int number) throws IOException {
        if (number <= version && file(number).equals(other.file(number))) {
            return true;
        }
        for (StreamView joined : merged()) {
            if (joined.contains(other, number)) {
                return true;
            }
        }
        return false;
    }

    /** The newest transaction, whose hash must be what HEAD says. */
    Tx newest() throws IOException {
        byte[] bytes = bytes(version);
        if (!TxHash.of(bytes).equals(head)) {
            throw new DamagedObjectException("HEAD of stream " + id + " does not name its version " + version);
        }
        return Tx.parse(bytes);
    }
}
