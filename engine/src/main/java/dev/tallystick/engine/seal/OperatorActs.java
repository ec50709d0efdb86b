package dev.tallystick.engine.seal;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Has the acts of operators sealed, each in the transaction in which it takes effect. Writes nothing if jobs are not sealed. */
public final class OperatorActs {

    private final OtherFactStore store = new OtherFactStore();

    /**
     * An act.
     *
     * @param by the member
     * @param action a verb, such as {@code cancel}
     * @param subject what it was done to: the ID of a job, or a kind and a name such as {@code member:alice}
     * @param more what else is to be known
     */
    public Also act(String mesh, String by, String action, String subject, Map<String, String> more) {
        return tx -> queue(tx, mesh, by, action, subject, more, null);
    }

    /**
     * An act that ends what must never work again, and that a restored database has to learn from the log.
     *
     * @param kind {@code member} or {@code token}
     * @param id its ID within the mesh, which is never given again
     */
    public Also ending(String mesh, String by, String action, String kind, String id) {
        Hash ends = LogEntry.OperatorAction.ended(kind, mesh, id);
        return tx -> queue(tx, mesh, by, action, kind + ":" + id, Map.of(), ends);
    }

    private void queue(
            Tx tx, String mesh, String by, String action, String subject, Map<String, String> more, @Nullable Hash ends)
            throws SQLException {
        if (!store.isSealing(tx)) {
            return;
        }
        Map<String, Json> record = new TreeMap<>();
        more.forEach((field, value) -> record.put(field, Json.of(value)));
        record.put("action", Json.of(action));
        record.put("subject", Json.of(subject));
        record.put("mesh", Json.of(mesh));
        record.put("by", Json.of(by));
        record.put("at", Json.of(SharedClock.DATABASE.now(tx).toString()));
        store.queue(
                tx,
                LogEntry.OperatorAction.TYPE.code(),
                mesh,
                subject,
                new Json.ObjectValue(record).canonicalBytes(),
                ends == null ? null : ends.bytes());
    }
}
