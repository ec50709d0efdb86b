package dev.tallystick.ledger;

import dev.tallystick.core.Json;
import dev.tallystick.core.file.ProcessLock;
import dev.tallystick.ledger.copies.Fetch;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.copies.Merger;
import dev.tallystick.ledger.copies.Push;
import dev.tallystick.ledger.copies.Replication;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.DamagedRefException;
import dev.tallystick.ledger.git.NotALedgerException;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.PackDirectory;
import dev.tallystick.ledger.git.PackJoiner;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.git.Repository;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.history.Branch;
import dev.tallystick.ledger.history.Chain;
import dev.tallystick.ledger.history.ChangedStreams;
import dev.tallystick.ledger.history.DocumentState;
import dev.tallystick.ledger.history.KeyRing;
import dev.tallystick.ledger.history.Listing;
import dev.tallystick.ledger.history.Receipt;
import dev.tallystick.ledger.history.Schemas;
import dev.tallystick.ledger.history.StreamLog;
import dev.tallystick.ledger.history.StreamView;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.json.JsonDiff;
import dev.tallystick.ledger.json.JsonPatch;
import dev.tallystick.ledger.query.QueryIndex;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.BranchEntry;
import dev.tallystick.ledger.tx.Changed;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.Listed;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.Appender;
import dev.tallystick.ledger.write.BatchWriter;
import dev.tallystick.ledger.write.CommitWriter;
import dev.tallystick.ledger.write.Genesis;
import dev.tallystick.ledger.write.Housekeeping;
import dev.tallystick.ledger.write.LedgerCommitter;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.MissingKeyException;
import dev.tallystick.ledger.write.Progress;
import dev.tallystick.ledger.write.Signers;
import dev.tallystick.ledger.write.VerifiedHead;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A ledger in a bare Git repository. Thread-safe; several may be open on one repository, in several processes, alongside
 * native {@code git}.
 *
 * <p>Every read looks at {@code refs/heads/main} first, so it sees everything written before it began. A read throws
 * {@link DamagedObjectException} if an object does not match its ID.
 */
public final class Ledger implements AutoCloseable {

    private final Repository repository;
    private final ObjectStore store;
    private final Ref main;
    private final Chain chain;
    private final ProcessLock writerLock;
    private final ProcessLock joinLock;
    private final PackJoiner joiner;
    private final Signers signers;
    private final Appender appender;
    private final LedgerCommitter committer;
    private final Housekeeping housekeeping;
    private final Replication replication;
    private final InstantSource clock;
    private volatile @Nullable View lastSeen;

    private Ledger(Repository repository, ObjectStore store, LedgerOptions options) throws IOException {
        this.repository = repository;
        this.store = store;
        this.main = Ref.main(repository.directory(), options.crashPoints());
        this.chain = new Chain(store);
        this.writerLock = ProcessLock.open(repository.local(), "writer.lock");
        this.joinLock = ProcessLock.open(repository.local(), "join.lock");
        writerLock.holdingIfFree(() -> {
            store.directory().removeUnfinished(PackDirectory.UNFINISHED_BATCH);
            return true;
        });
        joinLock.holdingIfFree(() -> {
            store.directory().removeUnfinished(PackDirectory.UNFINISHED_JOIN);
            return true;
        });
        this.joiner = new PackJoiner(store, repository.objects(), joinLock, options.crashPoints());
        this.signers = new Signers(repository.local());
        VerifiedHead verified = new VerifiedHead(repository, store, chain, signers);
        CommitWriter commits = new CommitWriter(store, chain, main, writerLock, signers, verified, options);
        this.committer = new LedgerCommitter(new BatchWriter(store, commits, joiner));
        this.housekeeping = new Housekeeping(repository, store);
        Merger merger = new Merger(repository.directory(), store, commits, options);
        this.replication = new Replication(repository, store, main, merger, options);
        this.clock = options.clock();
        this.appender = new Appender(
                this::view,
                seen -> verified.isKnown(seen.commit())
                        ? seen
                        : commits.holdingMain(head -> CommitWriter.Attempt.done(head.view())),
                main,
                committer,
                options.clock());
    }

    /** Creates a ledger with {@code root} as its root key, or opens the existing one, which keeps its root key. */
    public static Ledger init(Path directory, SigningKey root, LedgerOptions options) throws IOException {
        Repository repository = Repository.init(directory);
        Ref main = Ref.main(repository.directory(), options.crashPoints());
        try (ObjectStore store = new ObjectStore(repository.objects());
                ProcessLock lock = ProcessLock.open(repository.local(), "writer.lock")) {
            lock.holding(() -> {
                if (main.read().isEmpty()) {
                    new Signers(repository.local()).add(root);
                    Genesis.write(store, main, root, options.clock());
                }
                return true;
            });
        }
        return open(directory, options);
    }

    public static Ledger open(Path directory, LedgerOptions options) throws IOException {
        Repository repository = Repository.open(directory);
        ObjectStore store = new ObjectStore(repository.objects());
        try {
            if (Ref.main(directory, options.crashPoints()).read().isEmpty()) {
                throw new NotALedgerException(directory + " has no " + Ref.MAIN + "; create the ledger with init");
            }
            return new Ledger(repository, store, options);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /**
     * Clones the ledger at {@code address}, any address that {@code git} accepts, and remembers it as {@code origin}. The copy
     * can be read at once; to write to it, it needs the ledger's key ({@link #addSigningKey}).
     *
     * @param trust what is known about that ledger from a trusted source
     * @param progress receives the progress of the verification
     */
    public static Clone cloneFrom(String address, Path directory, Trust trust, LedgerOptions options, Progress progress)
            throws IOException {
        Report report = Replication.clone(address, directory, trust, options, progress);
        return report.isClean() ? new Clone.Cloned(open(directory, options)) : new Clone.Unsound(report.findings());
    }

    /** Appends and waits for the answer. */
    public Append append(Write write) {
        return appender.submit(write).join();
    }

    /**
     * Starts an append; many may run at once. The answer is a value, never an exception. The caller's continuations run on
     * their own thread and may do anything, including append.
     */
    public CompletableFuture<Append> submit(Write write) {
        return appender.submit(write).thenApplyAsync(Function.identity(), Thread::startVirtualThread);
    }

    public Document read(StreamId id) throws IOException {
        Optional<StreamView> stream = view().stream(id);
        if (stream.isEmpty()) {
            return new Document.Absent(id);
        }
        return DocumentState.at(stream.get(), stream.get().version()).document();
    }

    /** The document as of {@code version}; absent if the stream is shorter. */
    public Document readAt(StreamId id, int version) throws IOException {
        return readAt(id, "", version);
    }

    /**
     * The document as of {@code version} of a history merged into it.
     *
     * @param branch as in {@link BranchEntry#branch()}
     */
    public Document readAt(StreamId id, String branch, int version) throws IOException {
        Optional<StreamView> stream = stream(view(), id, branch);
        if (stream.isEmpty() || version < 1 || version > stream.get().version()) {
            return new Document.Absent(id);
        }
        return DocumentState.at(stream.get(), version).document();
    }

    /** The stream's transactions from {@code newest} (or the head, if that is earlier) backwards, at most {@code limit}. */
    public List<LogEntry> log(StreamId id, int newest, int limit) throws IOException {
        Optional<StreamView> stream = view().stream(id);
        return stream.isPresent() ? StreamLog.read(stream.get(), newest, limit) : List.of();
    }

    /** Like {@link #log}, followed by the transactions of histories merged into the document. */
    public List<BranchEntry> logWithBranches(StreamId id, int limit) throws IOException {
        List<BranchEntry> entries = new ArrayList<>();
        Optional<StreamView> stream = view().stream(id);
        if (stream.isPresent()) {
            StreamLog.read(stream.get(), Integer.MAX_VALUE, limit)
                    .forEach(entry -> entries.add(new BranchEntry("", entry)));
            for (Branch branch : entries.size() < limit ? Branch.of(stream.get()) : List.<Branch>of()) {
                int most = Math.min(limit - entries.size(), branch.stream().version() - branch.shared());
                StreamLog.read(branch.stream(), Integer.MAX_VALUE, most)
                        .forEach(entry -> entries.add(new BranchEntry(branch.name(), entry)));
            }
        }
        return List.copyOf(entries);
    }

    /** The patch from one version of a document to another; both must have a body. */
    public JsonPatch diff(StreamId id, int from, int to) throws IOException {
        return JsonDiff.between(body(id, from), body(id, to));
    }

    public List<Collection> collections() throws IOException {
        return Listing.collections(view());
    }

    /** A collection's streams in path order, after the path {@code after} (see {@link Listed#path()}). */
    public List<Listed> list(Collection collection, String after, int limit) throws IOException {
        return Listing.streams(view(), collection, after, limit);
    }

    /** Puts a new schema into force. Documents written before stay as they are. */
    public Append putSchema(Collection collection, Json schema) {
        return appender.putSchema(collection, schema);
    }

    /** The schema in force. */
    public Optional<Json> schema(Collection collection) throws IOException {
        View view = view();
        return Schemas.json(view, collection, Schemas.version(view, collection));
    }

    /** Puts a new key into force. The old key signs the commits up to and including the one that introduces it. */
    public Append rotateKey(SigningKey next) throws IOException {
        signers.add(next);
        KeyRing ring = KeyRing.read(view());
        SigningKey current = signers.find(ring.newest().key())
                .orElseThrow(() -> new MissingKeyException("this machine does not have the ledger's key"));
        return appender.putKey(ring.newest().number() + 1, next.publicKey(), current);
    }

    /** Stores a private key on this machine, which can then write if the ledger's key ring names that key as current. */
    public void addSigningKey(SigningKey key) throws IOException {
        signers.add(key);
    }

    /** The keys of this ledger, oldest first. */
    public List<PublicKey> keys() throws IOException {
        return KeyRing.read(view()).entries().stream().map(KeyRing.Entry::key).toList();
    }

    /** Proves the transaction of this version from the newest root; empty if the stream is shorter. */
    public Optional<Receipt> receipt(StreamId id, int version) throws IOException {
        return receipt(id, "", version);
    }

    /**
     * Proves a transaction of a history merged into the document.
     *
     * @param branch as in {@link BranchEntry#branch()}
     */
    public Optional<Receipt> receipt(StreamId id, String branch, int version) throws IOException {
        View view = view();
        Optional<StreamView> stream = stream(view, id, branch);
        if (stream.isEmpty() || version < 1 || version > stream.get().version()) {
            return Optional.empty();
        }
        return Optional.of(Receipt.of(store, chain, view, stream.get(), version));
    }

    /** The newest commit and its root, or the newest root before it. */
    public Anchored head() throws IOException {
        return head(view());
    }

    /**
     * Moves an anchor to the head, after verifying the chain from the anchor on; a first anchor requires verifying the whole
     * ledger.
     *
     * @param trust what is known about this ledger from a trusted source
     */
    public Anchoring anchor(Anchor anchor, Trust trust, Progress progress) throws IOException {
        View view = view();
        Optional<Anchored> known = anchor.read();
        Report report = Verifier.verifyAt(
                repository.directory(),
                known.isPresent() ? known.get().addedTo(trust) : trust,
                known.isPresent() ? Verifier.Depth.QUICK : Verifier.Depth.DEEP,
                view.commit().toString(),
                progress::report);
        if (!report.isClean()) {
            return new Anchoring.Refused(report.findings());
        }
        Anchored head = head(view);
        anchor.advance(head);
        return new Anchoring.Moved(head);
    }

    private Anchored head(View view) throws IOException {
        Chain.Link link = chain.newest(view.commit())
                .orElseThrow(() -> new DamagedObjectException("no commit of this repository has a root"));
        KeyRing ring = KeyRing.read(view);
        return new Anchored(
                CommitId.of(link.id()),
                link.root().position(),
                link.root().hash(),
                ring.root(),
                ring.newest().key());
    }

    /**
     * Writes everything into one pack and removes redundant files, without blocking reads and writes. Returns the number of
     * objects.
     */
    public int collectGarbage(Progress progress) throws IOException {
        return joinLock.holding(() -> housekeeping.collect(clock.instant(), progress));
    }

    /** Writes the whole ledger to one new file that {@code git clone} accepts. */
    public void bundle(Path file) throws IOException {
        housekeeping.bundle(view().commit(), file);
    }

    /** Visits every transaction that the head has and {@code since} lacks, stream by stream; returns the head. */
    public CommitId changes(CommitId since, Consumer<Changed> sink) throws IOException {
        View now = view();
        View before = new View(store, since.oid(), chain.commit(since.oid()).tree());
        ChangedStreams.between(before, now, (path, old, stream) -> {
            for (int version = ChangedStreams.common(old, stream) + 1;
                    stream != null && version <= stream.version();
                    version++) {
                byte[] bytes = stream.bytes(version);
                sink.accept(new Changed(stream.id(), new LogEntry(version, TxHash.of(bytes), Tx.parse(bytes))));
            }
        });
        return CommitId.of(now.commit());
    }

    /** The target of {@code main}. */
    public CommitId commit() throws IOException {
        return CommitId.of(view().commit());
    }

    /** This ledger's query index, updated to the head. */
    public QueryIndex index() throws IOException {
        return QueryIndex.open(repository.local(), this::view, clock.instant());
    }

    /** Fast-forwards to another copy, if this one has no commits of its own; never overwrites anything. */
    public Fetch fetch(String remote) throws IOException {
        return replication.fetch(remote, "");
    }

    /** Like {@link #fetch(String)}, but refuses a history whose current key is not {@code currentKey}. */
    public Fetch fetch(String remote, PublicKey currentKey) throws IOException {
        return replication.fetch(remote, currentKey.line());
    }

    /** Fast-forwards another copy to this one, if it has nothing that this one lacks. */
    public Push push(String remote) throws IOException {
        return replication.push(remote);
    }

    /** Fetches, and merges the two histories if each has commits that the other lacks. */
    public Merge merge(String remote) throws IOException {
        return replication.merge(remote, "");
    }

    /** Like {@link #merge(String)}, but refuses a history whose current key is not {@code currentKey}. */
    public Merge merge(String remote, PublicKey currentKey) throws IOException {
        return replication.merge(remote, currentKey.line());
    }

    /** Finishes running appends. */
    @Override
    public void close() throws IOException {
        committer.close();
        joiner.close();
        appender.close();
        store.close();
        replication.close();
        joinLock.close();
        writerLock.close();
    }

    private Json body(StreamId id, int version) throws IOException {
        if (readAt(id, version) instanceof Document.Present present) {
            return present.body();
        }
        throw new IllegalArgumentException(id + " has no body at version " + version);
    }

    private static Optional<StreamView> stream(View view, StreamId id, String branch) throws IOException {
        Optional<StreamView> document = view.stream(id);
        return document.isPresent() ? Branch.find(document.get(), branch) : Optional.empty();
    }

    private View view() throws IOException {
        Oid head =
                main.read().orElseThrow(() -> new DamagedRefException(Ref.MAIN + " has disappeared from the ledger"));
        View known = lastSeen;
        if (known == null || !known.commit().equals(head)) {
            known = new View(store, head, chain.commit(head).tree());
            lastSeen = known;
        }
        return known;
    }
}
