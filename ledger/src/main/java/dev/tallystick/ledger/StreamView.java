package dev.tallystick.ledger;

import java.io.IOException;

/** One stream as one commit has it. */
record StreamView(View view, StreamId id, TxHash head, int version, Oid directory) {

    static final String HEAD = "HEAD";

    /** The transaction of this version, checked to belong here. */
    Tx transaction(int wanted) throws IOException {
        return Tx.parse(bytes(wanted));
    }

    byte[] bytes(int wanted) throws IOException {
        Tree.Entry entry = view.find(directory, VersionPath.of(wanted))
                .orElseThrow(() -> new DamagedObjectException("stream " + id + " lacks version " + wanted));
        return view.blob(entry.id());
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
