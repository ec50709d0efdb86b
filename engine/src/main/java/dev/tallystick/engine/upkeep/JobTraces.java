package dev.tallystick.engine.upkeep;

import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What another module keeps of jobs. Both methods run in the transaction that erases a job. */
public interface JobTraces {

    /**
     * A job that is being erased.
     *
     * @param key the key it was accepted under; null if there is none, or it has expired
     * @param requests the IDs that its requests to partners can have
     */
    record ErasedJob(String mesh, JobId id, @Nullable ScopedKey key, Set<UUID> requests) {

        public ErasedJob {
            requests = Set.copyOf(requests);
        }
    }

    /** What of the job is still under way, as a sentence; empty if nothing is. */
    Optional<String> underWay(Tx tx, ErasedJob job) throws SQLException;

    /** Deletes everything personal. */
    void erase(Tx tx, ErasedJob job) throws SQLException;
}
