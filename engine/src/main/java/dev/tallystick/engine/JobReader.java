package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads jobs, for those who show them. Writes nothing and locks nothing. Thread-safe. */
public final class JobReader {

    /** More are not read at once. */
    public static final int MAX_PAGE = 500;

    private final Database database;
    private final JobReadStore store = new JobReadStore();

    public JobReader(Database database) {
        this.database = database;
    }

    /**
     * Which jobs of a mesh.
     *
     * @param workflow only those of this one; null for all
     * @param status {@code open}, or how they ended; null for all
     * @param before only those that were made before this one; null to begin with the newest
     */
    public record Selection(
            String mesh,
            @Nullable String workflow,
            @Nullable String status,
            @Nullable JobId before,
            int limit) {

        public Selection {
            if (limit < 1 || limit > MAX_PAGE) {
                throw new IllegalArgumentException("a page has 1 to " + MAX_PAGE + " jobs, got " + limit);
            }
        }
    }

    public Optional<JobInfo> job(JobId id) {
        return database.transact("read job", tx -> store.job(tx, id));
    }

    /** The newest first. */
    public List<JobInfo> list(Selection selection) {
        return database.transact("list jobs", tx -> store.list(tx, selection));
    }

    /** All activities of a job, in the order in which they were entered. */
    public List<ActivityInfo> activities(JobId id) {
        return database.transact("read activities", tx -> store.activities(tx, id));
    }
}
