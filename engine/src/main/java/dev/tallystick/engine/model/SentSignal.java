package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * A signal being sent to a job. The sender's key distinguishes it from other signals; a repeat has the same key.
 *
 * @param mesh the sender's mesh; jobs of other meshes are unknown to it
 * @param keptOnly whether to only store it; a graph then processes it in another transaction
 */
public record SentSignal(String mesh, Id id, byte[] payload, boolean keptOnly) {

    public SentSignal(String mesh, Id id, byte[] payload) {
        this(mesh, id, payload, false);
    }

    /** Both are part of a database key, whose length is limited. */
    static final int LONGEST_NAME = 255;

    static final int LONGEST_SENDER_KEY = 512;

    public record Id(JobId job, String name, String senderKey) {

        /**
         * The id of a signal from an outside sender.
         *
         * @throws IllegalArgumentException if no workflow can wait for it, or it cannot be stored
         */
        public static Id ofSender(JobId job, String name, String senderKey) {
            if (name.startsWith("$")) {
                throw new IllegalArgumentException(
                        "signals whose name begins with '$' are the engine's own, got '" + name + "'");
            }
            if (name.length() > LONGEST_NAME) {
                throw new IllegalArgumentException(
                        "the name of a signal has at most " + LONGEST_NAME + " characters, got " + name.length());
            }
            if (senderKey.length() > LONGEST_SENDER_KEY) {
                throw new IllegalArgumentException("the key of a signal has at most " + LONGEST_SENDER_KEY
                        + " characters, got " + senderKey.length());
            }
            return new Id(job, name, senderKey);
        }
    }

    /** The same signal for another job. */
    public SentSignal to(JobId job) {
        return new SentSignal(mesh, new Id(job, id.name(), id.senderKey()), payload, keptOnly);
    }

    public SentSignal toBeKeptOnly() {
        return new SentSignal(mesh, id, payload, true);
    }

    public static Id id(ResultSet row) throws SQLException {
        return new Id(
                new JobId(row.getObject("job_id", UUID.class)), row.getString("name"), row.getString("sender_key"));
    }
}
