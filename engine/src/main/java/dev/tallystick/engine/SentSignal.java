package dev.tallystick.engine;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * A signal on its way to a job. The sender's key tells it from others, and a repeat from the first.
 *
 * @param keptOnly whether it is only kept, and a graph goes on with it in another transaction
 */
record SentSignal(Id id, byte[] payload, boolean keptOnly) {

    SentSignal(Id id, byte[] payload) {
        this(id, payload, false);
    }

    record Id(JobId job, String name, String senderKey) {}

    /** The same, for another job. */
    SentSignal to(JobId job) {
        return new SentSignal(new Id(job, id.name(), id.senderKey()), payload, keptOnly);
    }

    SentSignal toBeKeptOnly() {
        return new SentSignal(id, payload, true);
    }

    static Id id(ResultSet row) throws SQLException {
        return new Id(
                new JobId(row.getObject("job_id", UUID.class)), row.getString("name"), row.getString("sender_key"));
    }
}
