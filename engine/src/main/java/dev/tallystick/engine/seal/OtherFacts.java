package dev.tallystick.engine.seal;

import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.OtherFactStore.Waiting;
import dev.tallystick.engine.seal.SealStore.Queued;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** The facts besides the acceptances and ends of jobs that a batch takes, and their entries. */
final class OtherFacts {

    private static final int MOST = 500;

    private final OtherFactStore store = new OtherFactStore();

    /**
     * What a batch takes: in the order of IDs there is nothing left out before its last row or fact.
     *
     * @param rows of the queue
     */
    record Taken(List<Queued> rows, List<Waiting> facts) {}

    /** @param hasMore whether the queue has rows after these */
    Taken take(Tx tx, List<Queued> rows, boolean hasMore) throws SQLException {
        long end = hasMore ? rows.getLast().id() : Long.MAX_VALUE;
        List<Waiting> facts = store.waiting(tx, end, MOST);
        if (facts.size() < MOST) {
            return new Taken(rows, facts);
        }
        long last = facts.getLast().id();
        return new Taken(rows.stream().filter(row -> row.id() < last).toList(), facts);
    }

    static LogEntry entry(Waiting fact, JobSalt salt) {
        Map<String, Hash> commitments = salt.commit(((Json.ObjectValue) Json.parse(fact.record())).members());
        return switch (fact.type()) {
            case 3 -> new LogEntry.Erased(fact.accepted(), commitments);
            case 4 -> new LogEntry.OperatorAction(fact.ends() == null ? null : Hash.of(fact.ends()), commitments);
            case 5 -> new LogEntry.ExchangeDocument(commitments);
            default -> throw new IllegalStateException("a fact of unknown type " + fact.type());
        };
    }
}
