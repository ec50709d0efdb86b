package dev.tallystick.ledger.write;

import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.PackBuilder;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.git.TreeEdit;
import dev.tallystick.ledger.history.Chain;
import dev.tallystick.ledger.history.Commit;
import dev.tallystick.ledger.history.KeyRing;
import dev.tallystick.ledger.history.Layout;
import dev.tallystick.ledger.history.Leaf;
import dev.tallystick.ledger.history.Merkle;
import dev.tallystick.ledger.ssh.SigningKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;

/** The first commit of a ledger: its root key and nothing else. Also a compare-and-set: the first writer wins. */
public final class Genesis {

    private Genesis() {}

    /** Makes the first commit unless there is one; only then does {@code root} become the ledger's root key. */
    public static void write(ObjectStore store, Ref main, SigningKey root, InstantSource clock) throws IOException {
        KeyRing.Entry entry = KeyRing.Entry.signed(1, root.publicKey(), 0, root);
        List<Leaf> leaves = List.of(Leaf.of(Layout.KEYS + "/1", entry.file()));
        String message = Chain.firstMessage("Begin a ledger", leaves.size(), Merkle.root(leaves));
        try (PackBuilder pack = new PackBuilder()) {
            TreeEdit tree = TreeEdit.empty(store);
            tree.directory(Layout.KEYS).put("1", pack.add(ObjectType.BLOB, entry.file()));
            byte[] commit = Commit.bytes(tree.writeTo(pack), List.of(), clock.instant(), message, root);
            Oid id = pack.add(ObjectType.COMMIT, commit);
            store.adopt(pack.writeTo(store.directory()), pack);
            store.directory().force();
            Ref.Move move = main.compareAndSet(null, id);
            if (move == Ref.Move.LOCKED) {
                throw new IOException("another program holds " + Ref.MAIN + ".lock");
            }
        }
    }
}
