package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.sql.Database;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Reads an activity's record on a separate thread: interrupting a virtual thread that reads from a socket closes the socket.
 * Thread-safe.
 */
public final class RecordReader {

    private static final Executor READERS =
            task -> Thread.ofVirtual().name("tally-reader").start(task);

    private final Database database;
    private final JobStore jobs;
    private final DatabaseRetry databaseRetry;

    public RecordReader(Database database, JobStore jobs, DatabaseRetry databaseRetry) {
        this.database = database;
        this.jobs = jobs;
        this.databaseRetry = databaseRetry;
    }

    public Optional<RecordedActivity> read(ActivityId activity) {
        CompletableFuture<Optional<RecordedActivity>> read = CompletableFuture.supplyAsync(
                () -> databaseRetry.answer(() -> database.transact("read record", tx -> jobs.activity(tx, activity))),
                READERS);
        try {
            return read.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof ExecutionStopped stopped) {
                throw stopped;
            }
            throw e;
        }
    }
}
