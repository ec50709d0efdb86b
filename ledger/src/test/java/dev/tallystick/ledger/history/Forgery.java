package dev.tallystick.ledger.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.git.Digests;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.PackBuilder;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.git.TreeEdit;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.Listed;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.write.CommitBatch;
import dev.tallystick.ledger.write.Pending;
import dev.tallystick.ledger.write.Preparation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Makes commits like an attacker who can push to a ledger but does not hold its key. */
public final class Forgery {

    private final Path repository;

    private Forgery(Path repository) {
        this.repository = repository;
    }

    public static Forgery in(Path repository) {
        return new Forgery(repository);
    }

    /** Appends a transaction on top of {@code main} in a commit with a correct root, signed by {@code key}. */
    public CommitId append(Write write, SigningKey key) throws IOException {
        return append(write, key, new Alteration());
    }

    /** What the forger changes besides the signature. */
    public static class Alteration {

        /** The message of the forged commit. */
        public String message(String honest) {
            return honest;
        }

        /** The bytes of the forged commit. */
        byte[] commit(byte[] honest) {
            return honest;
        }

        @Override
        public String toString() {
            return "signed by a stranger";
        }
    }

    /** A commit without any signature. */
    public static Alteration unsigned() {
        return new Alteration() {
            @Override
            public String toString() {
                return "not signed";
            }

            @Override
            byte[] commit(byte[] honest) {
                return new String(honest, UTF_8)
                        .replaceFirst("(?s)gpgsig .*?-----END SSH SIGNATURE-----\n", "")
                        .getBytes(UTF_8);
            }
        };
    }

    /** Replaces the head by one with the same root whose tree lacks the newest key, signed by {@code key}. */
    public void replaceHeadWithoutNewestKey(SigningKey key) throws IOException {
        Ref main = Ref.main(repository, dev.tallystick.core.CrashPoints.NONE);
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"));
                PackBuilder pack = new PackBuilder()) {
            Oid tip = main.read().orElseThrow();
            Commit honest = new Chain(store).commit(tip);
            String tree = Native.git(repository, "ls-tree", "-r", "main");
            String newest = tree.lines()
                    .filter(line -> line.contains("\tkeys/"))
                    .reduce((one, other) -> other)
                    .orElseThrow();
            Path index = repository.resolve("forged-index");
            java.util.Map<String, String> environment = java.util.Map.of("GIT_INDEX_FILE", index.toString());
            Native.run(repository, environment, "git", "read-tree", "main");
            String name = newest.substring(newest.indexOf('\t') + 1);
            Native.run(repository, environment, "git", "update-index", "--force-remove", name);
            Oid forged = Oid.parse(Native.run(repository, environment, "git", "write-tree")
                    .output()
                    .strip());
            java.nio.file.Files.delete(index);
            byte[] bytes = Commit.bytes(
                    forged, honest.parents(), InstantSource.system().instant(), honest.message(), key);
            Oid commit = pack.add(ObjectType.COMMIT, bytes);
            store.adopt(pack.writeTo(store.directory()), pack);
            main.compareAndSet(tip, commit);
        }
    }

    /** The message with the root that its lines hash to. */
    public static String rooted(String message) {
        int begin = message.indexOf("Tally-Version");
        int end = message.indexOf("Tally-Root: ");
        byte[] lines = message.substring(begin, end).getBytes(UTF_8);
        String root = HexFormat.of().formatHex(Digests.sha256().digest(lines));
        return message.replaceFirst("Tally-Root: [0-9a-f]+", "Tally-Root: " + root);
    }

    /** Appends bytes that the writer would never make, in an otherwise correct commit. */
    public CommitId append(Tx tx, byte[] bytes, SigningKey key) throws IOException {
        Pending.Transaction transaction =
                new Pending.Transaction(tx, bytes, TxHash.of(bytes), tx.stream().path(), new CompletableFuture<>());
        return append(view -> transaction, key, new Alteration());
    }

    public CommitId append(Write write, SigningKey key, Alteration alteration) throws IOException {
        Preparation preparation = new Preparation(new Schemas(), InstantSource.system());
        return append(
                view -> ((Preparation.Prepared.Ready) preparation.prepare(view, write)).transaction(), key, alteration);
    }

    /** Makes the transaction, given its predecessor. */
    private interface Content {
        Pending.Transaction on(View view) throws IOException;
    }

    /** Makes a tree out of the one that {@code main} has. */
    public interface Planting {
        Oid tree(ObjectStore store, PackBuilder pack, Oid honest) throws IOException;
    }

    /** Makes a commit's bytes out of the commit and the tree that {@code main} has. */
    public interface RawCommit {
        String text(ObjectStore store, PackBuilder pack, Oid tip, Oid honest) throws IOException;
    }

    /** Moves {@code main} to a commit of these bytes, whatever Git thinks of them. */
    public CommitId plantRaw(RawCommit raw) throws IOException {
        Ref main = Ref.main(repository, dev.tallystick.core.CrashPoints.NONE);
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"));
                PackBuilder pack = new PackBuilder()) {
            Oid tip = main.read().orElseThrow();
            String text =
                    raw.text(store, pack, tip, new Chain(store).commit(tip).tree());
            Oid commit = pack.add(ObjectType.COMMIT, text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
            store.adopt(pack.writeTo(store.directory()), pack);
            main.compareAndSet(tip, commit);
            return CommitId.of(commit);
        }
    }

    /** Commits a tree that no writer would make; its root stands for {@code leaves}. */
    public CommitId plant(Planting planting, SigningKey key, Leaf... leaves) throws IOException {
        Ref main = Ref.main(repository, dev.tallystick.core.CrashPoints.NONE);
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"));
                PackBuilder pack = new PackBuilder()) {
            Chain chain = new Chain(store);
            Oid tip = main.read().orElseThrow();
            Chain.Link link = chain.newest(tip).orElseThrow();
            Oid tree = planting.tree(store, pack, chain.commit(tip).tree());
            String message = chain.nextMessage("plant", link, List.of(leaves), "");
            byte[] bytes =
                    Commit.bytes(tree, List.of(tip), InstantSource.system().instant(), message, key);
            Oid commit = pack.add(ObjectType.COMMIT, bytes);
            store.adopt(pack.writeTo(store.directory()), pack);
            main.compareAndSet(tip, commit);
            return CommitId.of(commit);
        }
    }

    /**
     * Puts other transactions in the place of the MERGEs that {@code main} has just made, in a commit that is right in every
     * other way.
     */
    public CommitId replaceMerge(java.util.function.UnaryOperator<Tx> forgery, SigningKey key) throws IOException {
        Ref main = Ref.main(repository, dev.tallystick.core.CrashPoints.NONE);
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"));
                PackBuilder pack = new PackBuilder()) {
            Chain chain = new Chain(store);
            Oid tip = main.read().orElseThrow();
            Commit honest = chain.commit(tip);
            View view = new View(store, tip, honest.tree());
            TreeEdit edit = TreeEdit.of(store, honest.tree());
            java.util.List<Leaf> leaves = new java.util.ArrayList<>();
            for (Collection collection : Listing.collections(view)) {
                for (Listed listed : Listing.streams(view, collection, "", 1_000)) {
                    StreamView stream = view.stream(listed.stream()).orElseThrow();
                    if (stream.newest().op() == Op.MERGE) {
                        byte[] bytes = forgery.apply(stream.newest()).bytes();
                        TreeEdit directory = edit.directory(stream.id().path());
                        List<String> place = VersionPath.of(stream.version());
                        directory
                                .directory(place.subList(0, place.size() - 1))
                                .put(place.getLast(), pack.add(ObjectType.BLOB, bytes));
                        directory.put(
                                StreamView.HEAD,
                                pack.add(ObjectType.BLOB, TxHash.of(bytes).line()));
                        leaves.add(Leaf.of(TxHash.of(bytes)));
                    }
                }
            }
            Chain.Link first = chain.newest(honest.parents().get(0)).orElseThrow();
            Chain.Link second = chain.newest(honest.parents().get(1)).orElseThrow();
            String message = chain.nextMessage(
                    "Join two histories", first, leaves, second.root().hash());
            byte[] bytes = Commit.bytes(
                    edit.writeTo(pack), honest.parents(), InstantSource.system().instant(), message, key);
            Oid commit = pack.add(ObjectType.COMMIT, bytes);
            store.adopt(pack.writeTo(store.directory()), pack);
            main.compareAndSet(tip, commit);
            return CommitId.of(commit);
        }
    }

    /** Appends a merge of the newest commit with itself. */
    public CommitId mergeWithItself(SigningKey key) throws IOException {
        Ref main = Ref.main(repository, dev.tallystick.core.CrashPoints.NONE);
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"));
                PackBuilder pack = new PackBuilder()) {
            Chain chain = new Chain(store);
            Oid tip = main.read().orElseThrow();
            Chain.Link newest = chain.newest(tip).orElseThrow();
            String message = chain.nextMessage(
                    "Join two histories", newest, List.of(), newest.root().hash());
            byte[] bytes = Commit.bytes(
                    chain.commit(tip).tree(),
                    List.of(tip, tip),
                    InstantSource.system().instant(),
                    message,
                    key);
            Oid commit = pack.add(ObjectType.COMMIT, bytes);
            store.adopt(pack.writeTo(store.directory()), pack);
            main.compareAndSet(tip, commit);
            return CommitId.of(commit);
        }
    }

    private CommitId append(Content content, SigningKey key, Alteration alteration) throws IOException {
        InstantSource clock = InstantSource.system();
        Ref main = Ref.main(repository, dev.tallystick.core.CrashPoints.NONE);
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"));
                PackBuilder pack = new PackBuilder()) {
            Chain chain = new Chain(store);
            Oid tip = main.read().orElseThrow();
            View view = new View(store, tip, chain.commit(tip).tree());
            Chain.Link link = chain.newest(tip).orElseThrow();
            CommitBatch commitBatch = new CommitBatch(view, link.root().position() + 1, store);
            commitBatch.add(content.on(view));
            Oid tree = commitBatch.writeTo(pack);
            String message = chain.nextMessage(commitBatch.subject(), link, commitBatch.leaves(), "");
            byte[] bytes = Commit.bytes(tree, List.of(tip), clock.instant(), alteration.message(message), key);
            Oid commit = pack.add(ObjectType.COMMIT, alteration.commit(bytes));
            store.adopt(pack.writeTo(store.directory()), pack);
            main.compareAndSet(tip, commit);
            return CommitId.of(commit);
        }
    }
}
