package dev.tallystick.broker;

import dev.tallystick.broker.model.Announcement;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the message that made a job, the announcement of its end, and everything that belongs to both, read or not. The
 * caller owns the transaction, and has deleted the job in it.
 */
public final class MessageErasure {

    private final MessageErasureStore store = new MessageErasureStore();

    /**
     * Deletes what belongs to a job of the mesh.
     *
     * @param key the key of the message; null if it is not known any more
     */
    public void erase(Tx tx, String mesh, UUID job, @Nullable ScopedKey key) throws SQLException {
        store.holdSearch(tx);
        store.erase(tx, mesh, new UUID[] {job, Announcement.idOfEnd(job)});
        if (key != null) {
            store.forgetGrants(tx, key);
        }
    }
}
