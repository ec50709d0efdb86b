package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Reads an activity's record on a separate thread: interrupting a virtual thread that reads from a socket closes the socket.
 * Thread-safe.
 */
final class RecordReader {

    private static final Executor READERS =
            task -> Thread.ofVirtual().name("tally-reader").start(task);

    private final Database database;
    private final JobStore jobs;
    private final Repeats repeats;

    RecordReader(Database database, JobStore jobs, Repeats repeats) {
        this.database = database;
        this.jobs = jobs;
        this.repeats = repeats;
    }

    Optional<RecordedActivity> read(ActivityId activity) {
        CompletableFuture<Optional<RecordedActivity>> read = CompletableFuture.supplyAsync(
                () -> repeats.answer(() -> database.transact("read record", tx -> jobs.activity(tx, activity))),
                READERS);
        try {
            return read.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof BodyStopped stopped) {
                throw stopped;
            }
            throw e;
        }
    }
}
