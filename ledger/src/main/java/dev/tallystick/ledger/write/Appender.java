package dev.tallystick.ledger.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.history.KeyRing;
import dev.tallystick.ledger.history.Layout;
import dev.tallystick.ledger.history.Schemas;
import dev.tallystick.ledger.history.StreamView;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * Takes a write from the caller to its answer: prepare, commit in a group, and, if the head has moved, find out whether an
 * earlier attempt of the same write moved it.
 */
public final class Appender implements AutoCloseable {

    /** If a schema changes this often while we prepare, it is not bad luck. */
    private static final int MOST_ATTEMPTS = 20;

    /** The newest state of the ledger. */
    public interface Views {
        View newest() throws IOException;
    }

    /** The newest verified state of the ledger, given a state that may be it. */
    public interface VerifiedViews {
        View newest(View seen) throws IOException;
    }

    private final Views views;
    private final VerifiedViews verified;
    private final Ref main;
    private final LedgerCommitter committer;
    private final Schemas schemas = new Schemas();
    private final Preparation preparation;
    private final ExecutorService lookups = Executors.newVirtualThreadPerTaskExecutor();

    public Appender(Views views, VerifiedViews verified, Ref main, LedgerCommitter committer, InstantSource clock) {
        this.views = views;
        this.verified = verified;
        this.main = main;
        this.committer = committer;
        this.preparation = new Preparation(schemas, clock);
    }

    public CompletableFuture<Append> submit(Write write) {
        return attempt(write, 1);
    }

    public Append putSchema(Collection collection, Json schema) {
        Optional<String> refusal = schemas.refusal(schema);
        if (refusal.isPresent()) {
            return new Append.Invalid(refusal.get());
        }
        try {
            int next = Schemas.version(views.newest(), collection) + 1;
            if (next > Schemas.MOST_VERSIONS) {
                return new Append.Invalid(collection + " has had " + Schemas.MOST_VERSIONS + " schemas");
            }
            byte[] content = schema.canonical(Schemas.LIMITS).getBytes(UTF_8);
            return putFile(List.of(Layout.SCHEMAS, collection.name()), Integer.toString(next), position -> content);
        } catch (IOException e) {
            return new Append.Refused(reason(e));
        }
    }

    public Append putKey(int number, PublicKey key, SigningKey by) {
        return putFile(
                List.of(Layout.KEYS),
                Integer.toString(number),
                position -> KeyRing.Entry.signed(number, key, position + 1, by).file());
    }

    @Override
    public void close() {
        lookups.close();
    }

    private Append putFile(List<String> directory, String name, java.util.function.LongFunction<byte[]> contentAt) {
        Pending.NewFile file = Pending.NewFile.of(directory, name, contentAt);
        try {
            committer.submit(file);
        } catch (RejectedExecutionException e) {
            return new Append.Refused("the ledger is closed");
        }
        return switch (file.verdict().join()) {
            case Pending.Verdict.Committed done -> new Append.Appended(TxHash.NONE, 0, CommitId.of(done.commit()));
            case Pending.Verdict.Moved moved -> new Append.HeadChanged(TxHash.NONE);
            case Pending.Verdict.SchemaChanged changed -> new Append.HeadChanged(TxHash.NONE);
            case Pending.Verdict.Refused refused -> new Append.Refused(refused.reason());
            case Pending.Verdict.Unknown unknown -> new Append.Unavailable(unknown.reason());
        };
    }

    private CompletableFuture<Append> attempt(Write write, int attempt) {
        try {
            View view = views.newest();
            return switch (preparation.prepare(view, write)) {
                case Preparation.Prepared.Wrong wrong -> done(new Append.Invalid(wrong.reason()));
                case Preparation.Prepared.Moved moved -> lookUp(view, write);
                case Preparation.Prepared.Ready ready -> {
                    committer.submit(ready.transaction());
                    yield ready.transaction().verdict().thenCompose(verdict -> answer(write, ready, verdict, attempt));
                }
            };
        } catch (IOException e) {
            return done(new Append.Refused(reason(e)));
        } catch (RejectedExecutionException e) {
            return done(new Append.Refused("the ledger is closed"));
        }
    }

    private CompletableFuture<Append> answer(
            Write write, Preparation.Prepared.Ready ready, Pending.Verdict verdict, int attempt) {
        TxHash hash = ready.transaction().hash();
        return switch (verdict) {
            case Pending.Verdict.Committed done ->
                done(new Append.Appended(hash, done.version(), CommitId.of(done.commit())));
            case Pending.Verdict.Refused refused -> done(new Append.Refused(refused.reason()));
            case Pending.Verdict.Unknown unknown -> done(new Append.Unavailable(unknown.reason()));
            case Pending.Verdict.Moved moved -> lookUp(moved.view(), write);
            case Pending.Verdict.SchemaChanged changed ->
                attempt < MOST_ATTEMPTS
                        ? ready.transaction().verdict().thenComposeAsync(again -> attempt(write, attempt + 1), lookups)
                        : done(new Append.Refused(
                                "the schema of " + write.stream().collection() + " keeps changing"));
        };
    }

    /**
     * On its own thread: reading may take too long for the committer's thread, and the result is forced to disk, which must
     * not happen on a caller's thread, where an interrupt would close the file.
     */
    private CompletableFuture<Append> lookUp(View view, Write write) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return found(verified.newest(view), write);
                    } catch (UnverifiedHistoryException e) {
                        return new Append.Refused(reason(e));
                    } catch (IOException e) {
                        return new Append.Unavailable(reason(e));
                    }
                },
                lookups);
    }

    /**
     * The head in {@code view} is not the expected one. If this write is among the transactions since, an attempt whose answer
     * was lost made it. Otherwise the refusal is definite: a stream never returns to an earlier head.
     */
    private Append found(View view, Write write) throws IOException {
        Optional<StreamView> stream = view.stream(write.stream());
        if (stream.isEmpty()) {
            return new Append.HeadChanged(TxHash.NONE);
        }
        Optional<Append> earlier = found(view, write, stream.get());
        return earlier.orElse(new Append.HeadChanged(stream.get().head()));
    }

    private Optional<Append> found(View view, Write write, StreamView newest) throws IOException {
        Set<Oid> met = new HashSet<>();
        Deque<StreamView> open = new ArrayDeque<>(List.of(newest));
        while (!open.isEmpty()) {
            StreamView stream = open.pop();
            TxHash hash = stream.head();
            boolean known = !met.add(stream.directory());
            for (int version = stream.version();
                    !known && version >= 1 && !hash.equals(write.expectedHead());
                    version--) {
                Tx tx = stream.transaction(version);
                if (tx.txId().equals(write.txId())) {
                    return Optional.of(repeated(view, write, tx, hash, version));
                }
                stream.merged(Integer.toString(version)).ifPresent(open::push);
                hash = tx.parent();
            }
        }
        return Optional.empty();
    }

    /** The writing process may have died before it forced the ref; what we acknowledge must be on disk. */
    private Append repeated(View view, Write write, Tx tx, TxHash hash, int version) throws IOException {
        boolean same = tx.parent().equals(write.expectedHead())
                && switch (write.change()) {
                    case Change.Put put ->
                        tx.op() == Op.PUT && tx.snapshot().equals(put.body().canonical());
                    case Change.Patch patch ->
                        tx.op() == Op.PATCH
                                && tx.patch().equals(patch.patch().operations().canonical());
                    case Change.Delete delete -> tx.op() == Op.DELETE;
                    case Change.Revert revert -> tx.op() == Op.PUT || tx.op() == Op.DELETE;
                };
        if (!same) {
            return new Append.Invalid("transaction ID " + write.txId() + " was used for another write");
        }
        main.force();
        return new Append.Appended(hash, version, CommitId.of(view.commit()));
    }

    private static CompletableFuture<Append> done(Append append) {
        return CompletableFuture.completedFuture(append);
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
