package dev.tallystick.ledger;

import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** What a ledger does with other copies of it. */
final class Copies {

    private static final String REWRITTEN = "its history went back or was written anew since it was last fetched";

    private final Path repository;
    private final ObjectStore store;
    private final MainRef main;
    private final Merger merger;

    Copies(Path repository, ObjectStore store, MainRef main, Merger merger) {
        this.repository = repository;
        this.store = store;
        this.main = main;
        this.merger = merger;
    }

    Fetch fetch(String address) throws IOException {
        return undisturbed(() -> {
            Optional<Oid> theirs = Remote.of(repository, address).fetch();
            if (theirs.isEmpty()) {
                return new Fetch.Refused(REWRITTEN);
            }
            store.rescan();
            return merger.forward(theirs.get());
        });
    }

    Merge merge(String address) throws IOException {
        return undisturbed(() -> {
            Optional<Oid> theirs = Remote.of(repository, address).fetch();
            if (theirs.isEmpty()) {
                return new Merge.Refused(REWRITTEN);
            }
            store.rescan();
            return merger.merge(theirs.get());
        });
    }

    Push push(String address) throws IOException {
        Oid head = main.read()
                .orElseThrow(() -> new DamagedRefException(MainRef.NAME + " is gone from a ledger that had it"));
        return Remote.of(repository, address).push(head);
    }

    /**
     * Makes a copy in {@code directory}. {@code main} comes last, so a copy that was interrupted is not mistaken for a ledger,
     * and cloning again finishes it.
     */
    static Report clone(String address, Path directory, Trust trust, LedgerOptions options, Progress progress)
            throws IOException {
        return undisturbed(() -> {
            Repository repository = Repository.init(directory);
            MainRef main = new MainRef(repository.directory(), repository.local(), options.crashPoints());
            if (main.read().isPresent()) {
                throw new NotALedgerException(directory + " has a " + MainRef.NAME + " already");
            }
            Remote.remember(directory, Remote.ORIGIN, address);
            Oid theirs = Remote.of(directory, Remote.ORIGIN)
                    .fetch()
                    .orElseThrow(() -> new RemoteFailedException(address + ": " + REWRITTEN));
            Report report = Verifier.verifyAt(directory, trust, theirs.toString(), progress::report);
            if (report.isClean()) {
                try (ProcessLock lock = ProcessLock.open(repository.local(), "writer.lock")) {
                    lock.holding(() -> main.compareAndSet(null, theirs));
                }
            }
            return report;
        });
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    /** In a thread of its own: an interrupt of the caller's would close the files under its hands. */
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
