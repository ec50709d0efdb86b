package dev.tallystick.engine;

import dev.tallystick.core.Step;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * Finds transitions that closed their job and died before the completion tasks, and runs these. The snapshot on the GUID says
 * whose task it is; that the job has closed is no reason to leave it.
 */
final class CompletionSweeper {

    private static final int BATCH = 200;

    private final Database database;
    private final CollationStore collation;

    CompletionSweeper(Database database, CollationStore collation) {
        this.database = database;
        this.collation = collation;
    }

    /** Returns how many it completed. A job that somebody has locked is being looked after. */
    int sweep() {
        return database.transact("complete closed jobs", this::sweep);
    }

    private int sweep(Tx tx) throws SQLException {
        List<Lease> unfinished = collation.unfinished(tx, BATCH);
        if (unfinished.isEmpty()) {
            return 0;
        }
        List<JobId> jobs =
                unfinished.stream().map(Lease::job).distinct().sorted().toList();
        Set<JobId> locked = collation.lock(tx, jobs, false);
        List<LegTwo> completions = unfinished.stream()
                .filter(transition -> locked.contains(transition.job()))
                .map(transition -> LegTwo.answering(transition, null, null).only(false, Set.of(Step.COMPLETION_TASKS)))
                .toList();
        return completions.isEmpty() ? 0 : collation.collate(tx, completions).size();
    }
}
