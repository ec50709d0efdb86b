package dev.tallystick.ledger;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
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
 * A ledger in a bare Git repository. Thread-safe; any number may be open on one repository, in any number of processes, next
 * to native {@code git}.
 *
 * <p>Every read looks at {@code refs/heads/main} first, so it sees what anybody has written before it began. Reading throws
 * {@link DamagedObjectException} rather than return what is not what its id says.
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
    private final GroupCommitter committer;
    private final Housekeeping housekeeping;
    private final Copies copies;
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
        this.committer = new GroupCommitter(new BatchWriter(store, commits, joiner));
        this.housekeeping = new Housekeeping(repository, store);
        Merger merger = new Merger(repository.directory(), store, commits, options);
        this.copies = new Copies(repository, store, main, merger, options);
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

    /** Makes a ledger with {@code root} as its root key, or opens the one that is there, whose root key stays. */
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
                throw new NotALedgerException(directory + " has no " + Ref.MAIN + "; a ledger begins with init");
            }
            return new Ledger(repository, store, options);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /**
     * Copies the ledger at {@code address}, which is whatever {@code git} takes for one, and remembers it as {@code origin}.
     * The copy can be read at once; to write to it, it needs the ledger's key ({@link #addSigningKey}).
     *
     * @param trust what is known of that ledger from elsewhere
     * @param progress is told how far the verification of what came has come
     */
    public static Clone cloneFrom(String address, Path directory, Trust trust, LedgerOptions options, Progress progress)
            throws IOException {
        Report report = Copies.clone(address, directory, trust, options, progress);
        return report.isClean() ? new Clone.Cloned(open(directory, options)) : new Clone.Unsound(report.findings());
    }

    /** Appends and waits for the answer. */
    public Append append(Write write) {
        return appender.submit(write).join();
    }

    /**
     * Begins to append; many may be under way at once. The answer is a value, never an exception. What the caller hangs on it
     * runs in a thread of its own and may do what it likes, also append.
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

    /** The document as it was at {@code version}; absent if the stream is not that long. */
    public Document readAt(StreamId id, int version) throws IOException {
        return readAt(id, "", version);
    }

    /**
     * The document as it was at {@code version} of a history that was merged into it.
     *
     * @param branch as {@link BranchEntry#branch()} has it
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

    /** As {@link #log}, followed by the transactions of histories that were merged into the document. */
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

    /** Streams of a collection in the order of their paths, after {@code after} (a path as {@link Listed#path()} has it). */
    public List<Listed> list(Collection collection, String after, int limit) throws IOException {
        return Listing.streams(view(), collection, after, limit);
    }

    /** Puts a new schema in force. Documents written before it stay as they are. */
    public Append putSchema(Collection collection, Json schema) {
        return appender.putSchema(collection, schema);
    }

    /** The schema in force. */
    public Optional<Json> schema(Collection collection) throws IOException {
        View view = view();
        Optional<String> text = Schemas.text(view, collection, Schemas.version(view, collection));
        return text.map(Json::parse);
    }

    /** Brings a new key into force. Commits up to and including the one that brings it are signed by the old one. */
    public Append rotateKey(SigningKey next) throws IOException {
        signers.add(next);
        KeyRing ring = KeyRing.read(view());
        SigningKey current = signers.find(ring.newest().key())
                .orElseThrow(() -> new MissingKeyException("this machine does not have the ledger's key"));
        return appender.putKey(ring.newest().number() + 1, next.publicKey(), current);
    }

    /** Stores a private key on this machine, so that it can write once the ledger's ring says that this key signs. */
    public void addSigningKey(SigningKey key) throws IOException {
        signers.add(key);
    }

    /** The keys of this ledger, oldest first. */
    public List<PublicKey> keys() throws IOException {
        return KeyRing.read(view()).entries().stream().map(KeyRing.Entry::key).toList();
    }

    /** What proves the transaction of this version, from the newest root; empty if the stream is not that long. */
    public Optional<Receipt> receipt(StreamId id, int version) throws IOException {
        return receipt(id, "", version);
    }

    /**
     * What proves a transaction of a history that was merged into the document.
     *
     * @param branch as {@link BranchEntry#branch()} has it
     */
    public Optional<Receipt> receipt(StreamId id, String branch, int version) throws IOException {
        View view = view();
        Optional<StreamView> stream = stream(view, id, branch);
        if (stream.isEmpty() || version < 1 || version > stream.get().version()) {
            return Optional.empty();
        }
        return Optional.of(Receipt.of(store, chain, view, stream.get(), version));
    }

    /** The newest commit and the root it bears or stands on. */
    public Anchored head() throws IOException {
        return head(view());
    }

    /**
     * Moves an anchor to the head, along a chain that is verified from the anchor on; a first anchor costs the verification of
     * the whole ledger.
     *
     * @param trust what is known of this ledger from elsewhere
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
                .orElseThrow(() -> new DamagedObjectException("no commit of this repository bears a root"));
        KeyRing ring = KeyRing.read(view);
        return new Anchored(
                CommitId.of(link.id()),
                link.root().position(),
                link.root().hash(),
                ring.root(),
                ring.newest().key());
    }

    /**
     * Writes everything into one pack and removes what that makes superfluous; reading and writing go on meanwhile. Returns
     * how many objects the ledger has.
     */
    public int collectGarbage(Progress progress) throws IOException {
        return joinLock.holding(() -> housekeeping.collect(clock.instant(), progress));
    }

    /** Writes the whole ledger into one new file, from which {@code git clone} makes a repository. */
    public void bundle(Path file) throws IOException {
        housekeeping.bundle(view().commit(), file);
    }

    /** Shows every transaction that the head has and {@code since} had not, stream by stream; returns the head. */
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

    /** What {@code main} names. */
    public CommitId commit() throws IOException {
        return CommitId.of(view().commit());
    }

    /** The query index of this ledger, brought up to the head. */
    public QueryIndex index() throws IOException {
        return QueryIndex.open(repository.local(), this::view, clock.instant());
    }

    /** Takes over what another copy has more, if this one has nothing of its own; never overwrites anything. */
    public Fetch fetch(String remote) throws IOException {
        return copies.fetch(remote, "");
    }

    /** As {@link #fetch(String)}, and refuses a history in which another key than {@code currentKey} signs. */
    public Fetch fetch(String remote, PublicKey currentKey) throws IOException {
        return copies.fetch(remote, currentKey.line());
    }

    /** Hands everything to another copy, if that has nothing that this one lacks. */
    public Push push(String remote) throws IOException {
        return copies.push(remote);
    }

    /** Fetches, and joins the two histories where each has what the other one lacks. */
    public Merge merge(String remote) throws IOException {
        return copies.merge(remote, "");
    }

    /** As {@link #merge(String)}, and refuses a history in which another key than {@code currentKey} signs. */
    public Merge merge(String remote, PublicKey currentKey) throws IOException {
        return copies.merge(remote, currentKey.line());
    }

    /** Finishes what is under way. */
    @Override
    public void close() throws IOException {
        committer.close();
        joiner.close();
        appender.close();
        store.close();
        copies.close();
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
                main.read().orElseThrow(() -> new DamagedRefException(Ref.MAIN + " is gone from a ledger that had it"));
        View known = lastSeen;
        if (known == null || !known.commit().equals(head)) {
            known = new View(store, head, chain.commit(head).tree());
            lastSeen = known;
        }
        return known;
    }
}
