package dev.tallystick.daemon.storage;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;

/**
 * The only writer of a file. Callers hand in their work and wait; all work that arrives while one commit is being forced to
 * disk shares the next one. A failure of one piece does not affect the others: then each gets its own transaction.
 *
 * <p>Thread-safe. The work runs on one thread, which also owns the connection.
 */
public final class GroupWriter implements AutoCloseable {

    /** Something to do in a transaction. It may run twice, if another piece of the same transaction failed. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws SQLException;
    }

    private static final int MOST_WAITING = 10_000;
    private static final int LARGEST_GROUP = 500;
    private static final Logger LOG = LoggerFactory.getLogger(GroupWriter.class);

    private record Piece<T>(Work<T> work, CompletableFuture<T> result, boolean inTransaction) {

        /** Keeps the result until the commit. */
        Runnable perform() throws SQLException {
            T value = work.run();
            return () -> result.complete(value);
        }
    }

    private final Connection connection;
    private final @Nullable CommitMark mark;
    private final String name;
    private final BlockingQueue<Piece<?>> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final Thread thread;
    private volatile boolean closed;

    /**
     * @param connection closed with this writer
     * @param mark counts the commits, and is closed with this writer; null for a file whose commits are not counted
     */
    public GroupWriter(String name, Connection connection, @Nullable CommitMark mark) {
        this.name = name;
        this.connection = connection;
        this.mark = mark;
        this.thread = Thread.ofPlatform().daemon().name("tally-" + name).start(this::writeUntilClosed);
    }

    /**
     * Does the work in a transaction and returns when it is on disk.
     *
     * @throws StorageException if it is not, or if that is unknown
     */
    public <T> T write(Work<T> work) {
        return done(work, true);
    }

    /** Does something that SQLite does only outside of a transaction, while no other work is done. */
    public <T> T alone(Work<T> work) {
        return done(work, false);
    }

    private <T> T done(Work<T> work, boolean inTransaction) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (closed || !waiting.offer(new Piece<>(work, result, inTransaction))) {
            throw closed ? closedNow() : tooManyWaiting();
        }
        if (closed && !thread.isAlive()) {
            failWaiting();
        }
        try {
            // Also for an interrupted thread: whether its work is on disk is known in a moment.
            return result.join();
        } catch (CompletionException e) {
            throw again(e.getCause() == null ? e : e.getCause());
        }
    }

    /** A fresh exception for each caller, with the caller's stack. */
    private StorageException again(Throwable cause) {
        return cause instanceof StorageException storage
                ? new StorageException(storage.kind(), String.valueOf(storage.getMessage()), storage)
                : new StorageException(
                        StorageException.Kind.UNAVAILABLE, "cannot write to the " + name + ": " + cause, cause);
    }

    private StorageException closedNow() {
        return new StorageException(StorageException.Kind.CLOSED, "the " + name + " is closed");
    }

    private StorageException tooManyWaiting() {
        return new StorageException(StorageException.Kind.UNAVAILABLE, "too many writers wait for the " + name);
    }

    private void writeUntilClosed() {
        List<Piece<?>> group = new ArrayList<>();
        while (!closed || !waiting.isEmpty()) {
            try {
                Piece<?> first = waiting.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    group.add(first);
                    waiting.drainTo(group, LARGEST_GROUP - 1);
                    List<Piece<?>> together =
                            group.stream().filter(Piece::inTransaction).toList();
                    if (!together.isEmpty()) {
                        write(together);
                    }
                    group.stream().filter(piece -> !piece.inTransaction()).forEach(this::perform);
                }
            } catch (InterruptedException e) {
                LOG.debug("woken to close the {}", name);
            } catch (RuntimeException | Error e) {
                // This thread is the only writer: it must survive a bug in a piece of work.
                LOG.error("writing to the {} failed", name, e);
                StorageException failure = new StorageException(
                        StorageException.Kind.UNKNOWN, "writing to the " + name + " failed: " + e, e);
                group.forEach(piece -> piece.result().completeExceptionally(failure));
            } finally {
                group.clear();
            }
        }
        failWaiting();
    }

    private void failWaiting() {
        for (Piece<?> left = waiting.poll(); left != null; left = waiting.poll()) {
            left.result().completeExceptionally(closedNow());
        }
    }

    private void perform(Piece<?> piece) {
        try {
            piece.perform().run();
        } catch (SQLException | RuntimeException e) {
            piece.result().completeExceptionally(explained(e));
        }
    }

    private void write(List<Piece<?>> group) {
        try {
            List<Runnable> done = new ArrayList<>(group.size());
            begin();
            for (Piece<?> piece : group) {
                done.add(piece.perform());
            }
            if (mark != null) {
                mark.count();
            }
            commit(group);
            if (mark != null) {
                mark.committed();
            }
            done.forEach(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            rollBack();
            if (group.size() > 1 && !(e instanceof CommitFailed)) {
                group.forEach(piece -> write(List.of(piece)));
            } else {
                StorageException failure = explained(e);
                group.forEach(piece -> piece.result().completeExceptionally(failure));
            }
        }
    }

    private StorageException explained(Exception e) {
        return switch (e) {
            case CommitFailed failed -> failed.explained(name);
            case SQLException sql -> StorageFile.failure("cannot write to the " + name, sql);
            case StorageException storage -> storage;
            default ->
                new StorageException(StorageException.Kind.UNAVAILABLE, "cannot write to the " + name + ": " + e, e);
        };
    }

    private void begin() throws SQLException {
        execute("begin immediate");
    }

    private void commit(List<Piece<?>> group) throws CommitFailed {
        try {
            execute("commit");
        } catch (SQLException e) {
            LOG.warn("a commit of {} writes to the {} failed", group.size(), name, e);
            throw new CommitFailed(e);
        }
    }

    private void rollBack() {
        if (mark != null) {
            mark.rolledBack();
        }
        try {
            execute("rollback");
        } catch (SQLException e) {
            // After most failures SQLite has already rolled back, and says so.
            LOG.debug("nothing to roll back in the {}", name, e);
        }
    }

    private void execute(String command) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(command);
        }
    }

    /**
     * A commit failed. If the disk failed, the commit may have reached it: SQLite has taken it back, but a crash now would
     * find it in the journal.
     */
    private static final class CommitFailed extends RuntimeException {

        private final transient SQLException why;

        CommitFailed(SQLException why) {
            super(why);
            this.why = why;
        }

        StorageException explained(String name) {
            return StorageFile.primary(why) == SQLiteErrorCode.SQLITE_IOERR
                    ? new StorageException(
                            StorageException.Kind.UNKNOWN,
                            "the disk failed while the " + name + " was written: " + why.getMessage(),
                            why)
                    : StorageFile.failure("cannot write to the " + name, why);
        }
    }

    /** Finishes what was handed in, then closes the connection. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
            if (mark != null) {
                mark.close();
            }
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            throw StorageFile.failure("cannot close the " + name, e);
        }
    }
}
