package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Follows the roots: from any commit to the newest root, and from there to the root it skips to. */
public final class Chain {

    private final ObjectStore store;

    public Chain(ObjectStore store) {
        this.store = store;
    }

    /** A commit with a root. */
    public record Link(Oid id, Commit commit, RootedMessage message) {

        public ChainRoot root() {
            return message.root();
        }
    }

    public Commit commit(Oid id) throws IOException {
        return Commit.parse(store.read(id, ObjectType.COMMIT));
    }

    /** The newest root at or before {@code id}, ignoring foreign commits; empty if there is none. */
    public Optional<Link> newest(Oid id) throws IOException {
        Optional<Oid> at = Optional.of(id);
        while (at.isPresent()) {
            Commit commit = commit(at.get());
            Optional<RootedMessage> message = commit.root();
            if (message.isPresent()) {
                return Optional.of(new Link(at.get(), commit, message.get()));
            }
            at = commit.parent();
        }
        return Optional.empty();
    }

    Optional<Link> before(Link link) throws IOException {
        Optional<Oid> parent = link.commit.parent();
        return parent.isPresent() ? newest(parent.get()) : Optional.empty();
    }

    /** The newest link of the history that {@code link} merged; empty if it merged none. */
    Optional<Link> joined(Link link) throws IOException {
        return link.root().merged().isEmpty() || link.commit.parents().size() < 2
                ? Optional.empty()
                : newest(link.commit.parents().get(1));
    }

    /** The link that {@code link} skips to. */
    Link skip(Link link) throws IOException {
        Oid skip = link.message.skipCommit();
        if (skip == null) {
            throw new DamagedObjectException("a root does not say where it skips to");
        }
        Link found =
                newest(skip).orElseThrow(() -> new DamagedObjectException("a root skips to a commit without a root"));
        if (!found.root().hash().equals(link.root().skip())) {
            throw new DamagedObjectException("a root skips to a root other than it names");
        }
        return found;
    }

    /** The link that the successor of {@code head} must skip to. */
    Link skipOfNext(Link head) throws IOException {
        long target = ChainRoot.skipTarget(head.root().position() + 1);
        Link at = head;
        while (at.root().position() > target) {
            at = skip(at);
        }
        if (at.root().position() != target) {
            throw new DamagedObjectException("a root skips past position " + target);
        }
        return at;
    }

    /**
     * The message of a commit that adds {@code leaves} after {@code head}.
     *
     * @param merged the root of the other, merged history, or empty
     */
    public String nextMessage(String subject, Link head, List<Leaf> leaves, String merged) throws IOException {
        Link skip = skipOfNext(head);
        ChainRoot root = new ChainRoot(
                head.root().position() + 1,
                head.root().hash(),
                skip.root().hash(),
                leaves.size(),
                Merkle.root(leaves),
                merged);
        return RootedMessage.text(subject, root, skip.id);
    }

    public static String firstMessage(String subject, int leaves, String merkle) {
        ChainRoot root = new ChainRoot(0, ChainRoot.NOTHING, ChainRoot.NOTHING, leaves, merkle, "");
        return RootedMessage.text(subject, root, null);
    }
}
