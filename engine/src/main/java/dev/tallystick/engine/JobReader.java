package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads jobs, for those who show them. Writes nothing and locks nothing. Thread-safe. */
public final class JobReader {

    private final Database database;
    private final Codec codec;
    private final JobReadStore store = new JobReadStore();
    private final JobListStore lists = new JobListStore();
    private final SignalStore signals = new SignalStore();

    /** @param codec what stack traces are read with */
    public JobReader(Database database, Codec codec) {
        this.database = database;
        this.codec = codec;
    }

    public Optional<JobInfo> job(String mesh, JobId id) {
        return database.transact("read job", tx -> store.job(tx, mesh, id));
    }

    /** The newest first. */
    public List<JobInfo> list(JobQuery query) {
        return database.transact("list jobs", tx -> lists.list(tx, query));
    }

    /** Whether the job, or one that it continues, was sent this signal under this key before. */
    public boolean hasSignal(String mesh, JobId id, String name, String senderKey) {
        SentSignal.Id signal = new SentSignal.Id(id, name, senderKey);
        return database.transact(
                "look up signal",
                tx -> store.job(tx, mesh, id).isPresent()
                        && !signals.seen(tx, List.of(signal)).isEmpty());
    }

    /** What last failed in a job and has not succeeded since, whether or not the job is tried further. */
    public Optional<LastError> lastError(String mesh, JobId id) {
        return database.transact("read last error", tx -> store.lastError(tx, mesh, id))
                .map(kept -> kept.error().with(stackTrace(kept.stackTrace())));
    }

    /** What another codec wrote is for those who have that one. */
    private @Nullable String stackTrace(byte @Nullable [] encoded) {
        try {
            return encoded == null ? null : codec.<@Nullable String>decode(encoded, String.class);
        } catch (RuntimeException | Error e) {
            return null;
        }
    }

    /**
     * Activities of a job, in the order in which they were entered.
     *
     * @param after the last one of the page before; null for the first page
     */
    public List<ActivityInfo> activities(String mesh, JobId id, ActivityInfo.@Nullable Place after, int limit) {
        return database.transact("read activities", tx -> store.activities(tx, mesh, id, after, limit));
    }
}
