package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The consistency issues of one participant: recorded, counted, shown, never dropped. Thread-safe. */
public final class Issues {

    private final Database database;
    private final Participant participant;
    private final IssueStore store = new IssueStore();

    public Issues(Database database, Participant participant) {
        this.database = database;
        this.participant = participant;
    }

    /** Records issues in the transaction of the change that they belong to. */
    public void raise(Tx tx, List<Issue> issues) throws SQLException {
        Set<List<String>> seen = new HashSet<>();
        List<Issue> different = new ArrayList<>();
        for (Issue issue : issues) {
            List<String> key = List.of(
                    issue.kind().name(),
                    issue.producer().name(),
                    issue.consumer().name(),
                    issue.id().value(),
                    HexFormat.of().formatHex(issue.evidence()));
            if (seen.add(key)) {
                different.add(issue);
            }
        }
        if (!different.isEmpty()) {
            store.raise(tx, participant, different);
        }
    }

    public void raise(List<Issue> issues) {
        if (!issues.isEmpty()) {
            database.transact("record consistency issues", tx -> {
                raise(tx, issues);
                return true;
            });
        }
    }

    /** The newest first. */
    public List<IssueRow> list(boolean alsoResolved, int limit) {
        return database.read("list consistency issues", tx -> store.read(tx, participant, alsoResolved, limit));
    }

    /** The open issues of each kind. */
    public Map<IssueKind, Long> counts() {
        Map<IssueKind, Long> counts = new EnumMap<>(IssueKind.class);
        for (IssueStore.Count count : database.read("count consistency issues", tx -> store.count(tx, participant))) {
            counts.put(count.kind(), count.number());
        }
        return counts;
    }

    /** Marks issues as dealt with; they stay in the record. Returns how many. */
    public int resolve(String id, IssueKind kind) {
        return database.transact("resolve consistency issues", tx -> store.resolve(tx, participant, id, kind));
    }
}
