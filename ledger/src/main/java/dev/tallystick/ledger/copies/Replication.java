package dev.tallystick.ledger.copies;

import dev.tallystick.core.Ids;
import dev.tallystick.core.file.ProcessLock;
import dev.tallystick.ledger.git.DamagedRefException;
import dev.tallystick.ledger.git.NotALedgerException;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.git.RemoteFailedException;
import dev.tallystick.ledger.git.Repository;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import dev.tallystick.ledger.write.UnverifiedHistoryException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Exchanges commits with other copies of a ledger. */
public final class Replication implements AutoCloseable {

    private static final String REWRITTEN = "its history was rolled back or rewritten since the last fetch";

    private final Path repository;
    private final ObjectStore store;
    private final Ref main;
    private final Merger merger;
    private final ProcessLock fetching;
    private final Ids ids;

    public Replication(Repository repository, ObjectStore store, Ref main, Merger merger, LedgerOptions options)
            throws IOException {
        this.repository = repository.directory();
        this.store = store;
        this.main = main;
        this.merger = merger;
        this.fetching = fetchLock(repository);
        this.ids = new Ids(options.clock(), options.random());
    }

    public Fetch fetch(String address, String currentKey) throws IOException {
        return undisturbed(() -> {
            Optional<Oid> theirs = fetched(address);
            try {
                return theirs.isPresent() ? merger.forward(theirs.get(), currentKey) : new Fetch.Refused(REWRITTEN);
            } catch (UnverifiedHistoryException e) {
                return new Fetch.Refused(String.valueOf(e.getMessage()));
            }
        });
    }

    public Merge merge(String address, String currentKey) throws IOException {
        return undisturbed(() -> {
            Optional<Oid> theirs = fetched(address);
            try {
                return theirs.isPresent() ? merger.merge(theirs.get(), currentKey) : new Merge.Refused(REWRITTEN);
            } catch (UnverifiedHistoryException e) {
                return new Merge.Refused(String.valueOf(e.getMessage()));
            }
        });
    }

    public Push push(String address) throws IOException {
        Oid head =
                main.read().orElseThrow(() -> new DamagedRefException(Ref.MAIN + " has disappeared from the ledger"));
        return Remote.of(repository, address).push(head);
    }

    /**
     * Makes a copy in {@code directory}. {@code main} comes last, so an interrupted copy is not mistaken for a ledger; cloning
     * again finishes it, or finds it finished.
     */
    public static Report clone(String address, Path directory, Trust trust, LedgerOptions options, Progress progress)
            throws IOException {
        return undisturbed(() -> {
            Repository repository = Repository.initCopy(directory, Remote.ORIGIN, Remote.lasting(address));
            Ref main = Ref.main(repository.directory(), options.crashPoints());
            try (ProcessLock fetching = fetchLock(repository);
                    ProcessLock writing = ProcessLock.open(repository.local(), "writer.lock");
                    ObjectStore store = new ObjectStore(repository.objects())) {
                Remote origin = Remote.of(directory, Remote.ORIGIN);
                Optional<Oid> made = main.read();
                if (made.isPresent() && !made.equals(origin.lastFetched())) {
                    throw new NotALedgerException(directory + " already has a " + Ref.MAIN);
                }
                Oid theirs = made.isPresent()
                        ? made.get()
                        : fetching.holding(() -> origin.fetch(store, new Ids(options.clock(), options.random())))
                                .orElseThrow(() -> new RemoteFailedException(address + ": " + REWRITTEN));
                Report report =
                        Verifier.verifyAt(directory, trust, Verifier.Depth.DEEP, theirs.toString(), progress::report);
                if (report.isClean()
                        && made.isEmpty()
                        && writing.holding(() -> main.compareAndSet(null, theirs)) != Ref.Move.MOVED) {
                    throw new IOException(
                            "another program is creating " + Ref.MAIN + " in " + directory + "; try again");
                }
                return report;
            }
        });
    }

    @Override
    public void close() throws IOException {
        fetching.close();
    }

    private Optional<Oid> fetched(String address) throws IOException {
        return fetching.holding(() -> Remote.of(repository, address).fetch(store, ids));
    }

    private static ProcessLock fetchLock(Repository repository) throws IOException {
        return ProcessLock.open(repository.local(), "fetch.lock");
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    /** On its own thread: an interrupt of the caller's thread would close the files in use. */
    private static <T> T undisturbed(Work<T> work) throws IOException {
        CompletableFuture<T> result = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.run();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                task -> Thread.ofPlatform().name("ledger-copies").daemon().start(task));
        try {
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException failed) {
                throw failed.getCause();
            }
            throw e.getCause() instanceof RuntimeException failed ? failed : e;
        }
    }
}
