package dev.tallystick.server.routes;

import dev.tallystick.core.ProblemCode;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.TransactionException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Whether the database accepts writes. Answers within a second, whatever the database does: probes run on their own threads,
 * and concurrent callers share one. After a full disk was noticed, probes check for free space and not only for an answer,
 * until there is some. Thread-safe.
 */
public final class Readiness {

    private static final Duration PATIENCE = Duration.ofMillis(700);

    /** A probe that takes longer hangs, and another one may succeed. */
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);

    /** Each hanging probe holds a connection. */
    private static final int MOST_LOOKS = 3;

    private final Database database;
    private final SpaceStore store = new SpaceStore();
    private volatile boolean diskWasFull;

    private CompletableFuture<Optional<ProblemCode>> look = CompletableFuture.completedFuture(Optional.empty());
    private long begun;
    private int underWay;

    public Readiness(Database database) {
        this.database = database;
    }

    /** A request failed for want of space. */
    public void diskIsFull() {
        diskWasFull = true;
    }

    /** Why requests cannot be served; empty if they can. */
    Optional<ProblemCode> trouble() throws InterruptedException {
        try {
            return currentLook().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return Optional.of(ProblemCode.DATABASE_UNAVAILABLE);
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot look at the database", e.getCause());
        }
    }

    private synchronized CompletableFuture<Optional<ProblemCode>> currentLook() {
        boolean hangs = System.nanoTime() - begun > LONGEST_LOOK.toNanos() && underWay < MOST_LOOKS;
        if (look.isDone() || hangs) {
            CompletableFuture<Optional<ProblemCode>> next = new CompletableFuture<>();
            look = next;
            begun = System.nanoTime();
            underWay++;
            Thread.ofVirtual().name("tally-readiness").start(() -> {
                try {
                    next.complete(look());
                } catch (RuntimeException | Error e) {
                    next.completeExceptionally(e);
                } finally {
                    ended();
                }
            });
        }
        return look;
    }

    private synchronized void ended() {
        underWay--;
    }

    private Optional<ProblemCode> look() {
        try {
            if (diskWasFull) {
                database.transact("look for space", tx -> {
                    store.takeSpace(tx);
                    return null;
                });
                diskWasFull = false;
            } else {
                database.transact("ping", tx -> {
                    store.ping(tx);
                    return null;
                });
            }
            return Optional.empty();
        } catch (DefiniteFailureException e) {
            return switch (e.reason()) {
                case DISK_FULL -> Optional.of(ProblemCode.DATABASE_FULL);
                // The role may not create temporary tables: the next request will show.
                case REFUSED -> {
                    diskWasFull = false;
                    yield Optional.empty();
                }
                case CONFLICT, LOCKED, OVERLOADED, UNAVAILABLE -> Optional.of(ProblemCode.DATABASE_UNAVAILABLE);
            };
        } catch (TransactionException e) {
            return Optional.of(ProblemCode.DATABASE_UNAVAILABLE);
        }
    }
}
