package dev.tallystick.engine.upkeep;

import dev.tallystick.core.Step;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * Finds transitions that closed their job but whose process died before the completion tasks, and runs these tasks. The
 * snapshot on the GUID says which transition owns the tasks; a closed job is no reason to skip them.
 */
public final class CompletionSweeper {

    private static final int BATCH = 200;

    private final Database database;
    private final CollationStore collation;

    public CompletionSweeper(Database database, CollationStore collation) {
        this.database = database;
        this.collation = collation;
    }

    /** Returns how many transitions it completed. Skips locked jobs: another process is handling them. */
    public int sweep() {
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
