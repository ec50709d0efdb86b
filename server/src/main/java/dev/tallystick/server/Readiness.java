package dev.tallystick.server;

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
 * Whether the database takes what requests write. It answers within a second, whatever the database does: looks at it happen on
 * threads of their own, and those who ask at the same time share one. After a full disk was noticed, it is looked for space and
 * not only for an answer, until there is some. Thread-safe.
 */
final class Readiness {

    private static final Duration PATIENCE = Duration.ofMillis(700);

    /** A look that takes longer hangs, and another one may fare better. */
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);

    /** Each that hangs has a connection. */
    private static final int MOST_LOOKS = 3;

    private final Database database;
    private final SpaceStore store = new SpaceStore();
    private volatile boolean diskWasFull;

    private CompletableFuture<Optional<ProblemCode>> look = CompletableFuture.completedFuture(Optional.empty());
    private long begun;
    private int underWay;

    Readiness(Database database) {
        this.database = database;
    }

    /** A request failed for want of space. */
    void diskIsFull() {
        diskWasFull = true;
    }

    /** What keeps requests from being served; empty if they are. */
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
                // A role that may not make temporary tables: the next request will tell.
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
