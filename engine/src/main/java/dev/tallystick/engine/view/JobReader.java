package dev.tallystick.engine.view;

import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.sql.Database;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.LastError;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads jobs for display. Writes nothing and locks nothing. Thread-safe. */
public final class JobReader {

    private final Database database;
    private final Codec codec;
    private final JobReadStore store = new JobReadStore();
    private final JobListStore lists = new JobListStore();
    private final SignalStore signals = new SignalStore();

    /** @param codec decodes stack traces */
    public JobReader(Database database, Codec codec) {
        this.database = database;
        this.codec = codec;
    }

    public Optional<JobInfo> job(String mesh, JobId id) {
        return database.read("read job", tx -> store.job(tx, mesh, id));
    }

    /** Newest first. */
    public List<JobInfo> list(JobQuery query) {
        return database.read("list jobs", tx -> lists.list(tx, query));
    }

    /** Whether the job, or one that it continues, has already received this signal under this key. */
    public boolean hasSignal(String mesh, JobId id, String name, String senderKey) {
        SentSignal.Id signal = new SentSignal.Id(id, name, senderKey);
        return database.read(
                "look up signal",
                tx -> store.job(tx, mesh, id).isPresent()
                        && !signals.seen(tx, List.of(signal)).isEmpty());
    }

    /** The last error in a job that no later success has cleared, whether or not the job is still retrying. */
    public Optional<LastError> lastError(String mesh, JobId id) {
        return database.read("read last error", tx -> store.lastError(tx, mesh, id))
                .map(kept -> kept.error().with(stackTrace(kept.stackTrace())));
    }

    /** Null if another codec wrote it. */
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
     * @param after the last one of the previous page; null for the first page
     */
    public List<ActivityInfo> activities(String mesh, JobId id, ActivityInfo.@Nullable Place after, int limit) {
        return database.read("read activities", tx -> store.activities(tx, mesh, id, after, limit));
    }
}
