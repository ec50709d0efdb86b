package dev.tallystick.ledger.write;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.git.Repository;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.history.Ancestry;
import dev.tallystick.ledger.history.Chain;
import dev.tallystick.ledger.history.Commit;
import dev.tallystick.ledger.history.KeyRing;
import dev.tallystick.ledger.history.Layout;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.verifier.Watcher;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The newest commit that this machine knows to be good, because it wrote it or verified everything up to it. A writer builds
 * only on such a commit: our signature on top of a forgery would prove the forgery.
 *
 * <p>A head that we wrote ourselves costs a comparison. Any other head costs the verification of what is new; it must descend
 * from the known commit, so a history that was rolled back or rewritten is refused as well. {@code tally/verified} keeps the
 * commit for the next process, with a MAC under the key that signs next. Without a record whose MAC is valid, the whole history
 * is verified once.
 *
 * <p>Not thread-safe except for {@link #isKnown}: used by the holder of the writer lock.
 */
public final class VerifiedHead {

    static final String FILE = "verified";

    private static final Pattern RECORD = Pattern.compile("([0-9a-f]{40}) ([0-9a-f]{64}) ([0-9a-f]{64})\n");
    private static final int RECORD_LENGTH = 40 + 1 + 64 + 1 + 64 + 1;

    private final Repository repository;
    private final ObjectStore store;
    private final Chain chain;
    private final Signers signers;
    private final Path record;
    private volatile @Nullable Oid known;

    public VerifiedHead(Repository repository, ObjectStore store, Chain chain, Signers signers) {
        this.repository = repository;
        this.store = store;
        this.chain = chain;
        this.signers = signers;
        this.record = repository.local().resolve(FILE);
    }

    /** Whether this commit is the last verified one. */
    public boolean isKnown(Oid commit) {
        return commit.equals(known);
    }

    /**
     * Returns if everything up to {@code head} is verified, or if this machine could not sign on top of it anyway.
     *
     * @throws UnverifiedHistoryException if we must not build on {@code head}
     */
    void require(View head) throws IOException {
        Oid tip = head.commit();
        if (tip.equals(known)) {
            return;
        }
        Optional<SigningKey> key = signers.held(head);
        if (key.isEmpty()) {
            return;
        }
        Recorded recorded = recorded().orElse(null);
        if (!new Recorded(tip, key.get().publicKey()).equals(recorded)) {
            List<Finding> findings = judge(recorded, key.get(), head);
            if (!findings.isEmpty()) {
                throw new UnverifiedHistoryException(findings.getFirst().toString());
            }
            remember(tip, key.get());
        }
        known = tip;
    }

    /** {@code main} moved to a commit that we wrote or that was verified on top of {@code from}. */
    void moved(Oid from, Oid to) {
        if (!from.equals(known)) {
            return;
        }
        known = to;
        try {
            Optional<SigningKey> key = signers.held(view(to));
            if (key.isPresent()) {
                remember(to, key.get());
            }
        } catch (IOException e) {
            // The commit is part of the ledger even if its record is lost, and an older record is still valid.
            known = null;
        }
    }

    /**
     * A record under the key that signs next saves verifying what is before it. One under any other key does not, because a key
     * file is easily added to this machine; but it still detects a history that was rolled back.
     */
    private List<Finding> judge(@Nullable Recorded recorded, SigningKey key, View head) throws IOException {
        if (recorded != null && recorded.key.equals(key.publicKey())) {
            return judgeSince(recorded.commit, head);
        }
        Oid verified = known;
        if (verified != null) {
            return judgeSince(verified, head);
        }
        if (recorded == null) {
            return judgeAll(head);
        }
        since(recorded.commit, head);
        return judgeAll(head);
    }

    private List<Finding> judgeSince(Oid ground, View head) throws IOException {
        if (leadsOnlyOverForeignCommits(head.commit(), ground)) {
            return List.of();
        }
        List<String> parentsFirst =
                since(ground, head).reversed().stream().map(Oid::toString).toList();
        String rootKey = KeyRing.read(view(ground)).root().line();
        return Verifier.judge(repository.directory(), Trust.in(rootKey), parentsFirst);
    }

    /**
     * Whether only commits without a root lie between the two, none of which changes what roots cover. Native Git may make them
     * faster than a verification takes, so this must be quick.
     */
    private boolean leadsOnlyOverForeignCommits(Oid tip, Oid ground) throws IOException {
        Tree verified = new Tree(store.read(chain.commit(ground).tree(), ObjectType.TREE));
        Oid at = tip;
        while (!at.equals(ground)) {
            Commit commit = chain.commit(at);
            Optional<Oid> parent = commit.parent();
            if (commit.root().isPresent() || parent.isEmpty()) {
                return false;
            }
            Tree tree = new Tree(store.read(commit.tree(), ObjectType.TREE));
            if (!Verifier.acceptsTree(tree.bytes())) {
                return false;
            }
            for (String guarded : Layout.GUARDED) {
                if (!tree.find(guarded).equals(verified.find(guarded))) {
                    return false;
                }
            }
            at = parent.get();
        }
        return true;
    }

    /** The commits of {@code head} that {@code ground} lacks, children first. */
    private List<Oid> since(Oid ground, View head) throws IOException {
        Ancestry ancestry;
        try {
            ancestry = Ancestry.of(chain, ground, head.commit());
        } catch (DamagedObjectException e) {
            throw new UnverifiedHistoryException(
                    "commit " + ground + ", which was verified before, cannot be read: " + e.getMessage());
        }
        if (!ancestry.oursOnly().isEmpty()) {
            throw new UnverifiedHistoryException(Ref.MAIN + " does not descend from commit " + ground
                    + ", which was verified before: it was rolled back or rewritten");
        }
        return ancestry.theirsOnly();
    }

    private List<Finding> judgeAll(View head) throws IOException {
        Trust trust = Trust.in(KeyRing.read(head).root().line());
        String tip = head.commit().toString();
        return Verifier.verifyAt(repository.directory(), trust, Verifier.Depth.DEEP, tip, Watcher.NONE)
                .findings();
    }

    private View view(Oid commit) throws IOException {
        return new View(store, commit, chain.commit(commit).tree());
    }

    /** A verified commit, and the key of this machine that confirms it. */
    private record Recorded(Oid commit, PublicKey key) {}

    private Optional<Recorded> recorded() throws IOException {
        if (!Files.isRegularFile(record)) {
            return Optional.empty();
        }
        byte[] begin;
        try (InputStream in = Files.newInputStream(record)) {
            begin = in.readNBytes(RECORD_LENGTH);
        }
        Matcher parts = RECORD.matcher(new String(begin, US_ASCII));
        if (!parts.matches()) {
            return Optional.empty();
        }
        Optional<SigningKey> key = signers.find(parts.group(2));
        boolean ours = key.isPresent()
                && MessageDigest.isEqual(
                        mac(key.get(), parts.group(1)), HexFormat.of().parseHex(parts.group(3)));
        return ours
                ? Optional.of(new Recorded(
                        Oid.parse(parts.group(1)), key.orElseThrow().publicKey()))
                : Optional.empty();
    }

    /** Not forced: after a power cut an older record is still valid, and a torn one is not trusted. */
    private void remember(Oid commit, SigningKey key) throws IOException {
        String mac = HexFormat.of().formatHex(mac(key, commit.toString()));
        String line = commit + " " + Signers.fingerprint(key.publicKey()) + " " + mac + "\n";
        try (FileChannel channel = FileChannel.open(record, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ForcedFiles.writeFully(channel, ByteBuffer.wrap(line.getBytes(US_ASCII)));
        }
    }

    private static byte[] mac(SigningKey key, String commit) {
        return key.mac(("tally-verified-v1 " + commit).getBytes(US_ASCII));
    }
}
