package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Optional;

/** Reads jobs, for those who show them. Writes nothing and locks nothing. Thread-safe. */
public final class JobReader {

    private final Database database;
    private final JobReadStore store = new JobReadStore();
    private final JobListStore lists = new JobListStore();
    private final SignalStore signals = new SignalStore();

    public JobReader(Database database) {
        this.database = database;
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

    /** All activities of a job, in the order in which they were entered. */
    public List<ActivityInfo> activities(String mesh, JobId id) {
        return database.transact("read activities", tx -> store.activities(tx, mesh, id));
    }
}
