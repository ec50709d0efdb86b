package dev.tallystick.broker;

import dev.tallystick.broker.message.Follower;
import dev.tallystick.broker.message.History;
import dev.tallystick.broker.model.Message;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs who sent which accepted message to whom to {@code tally.audit}, in the order of the history and without contents. A
 * line may be repeated after a crash; its position identifies it.
 */
public final class AuditLog {

    private static final Logger LOG = LoggerFactory.getLogger("tally.audit");

    private static final String NAME = "audit";

    private final Follower follower;

    public AuditLog(Database database) {
        this.follower = new Follower(database, NAME, AuditLog::write);
    }

    public void run() {
        follower.run();
    }

    private static void write(Tx tx, List<History.Entry> entries) {
        for (History.Entry entry : entries) {
            Message message = entry.message();
            LOG.info(
                    "position={} mesh={} from={} to={} message={} accepted_at={}",
                    entry.position(),
                    message.mesh(),
                    message.sender(),
                    message.envelope().to(),
                    message.id(),
                    message.acceptedAt());
        }
    }
}
