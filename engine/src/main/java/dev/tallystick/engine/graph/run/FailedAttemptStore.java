package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.ResultDigest;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** What remote workers reported about failed attempts that were not the last. One method is one statement. */
final class FailedAttemptStore {

    private static final String KEEP = """
            insert into tally.failed_attempt (job_id, guid, fence, said)
            select *
            from unnest(?::uuid[], ?::uuid[], ?::bigint[], ?::uuid[])
            """;

    private static final String FIND = """
            select f.guid, f.said
            from unnest(?::uuid[], ?::uuid[], ?::bigint[]) as i (job_id, guid, fence)
            join tally.failed_attempt f on f.job_id = i.job_id and f.guid = i.guid and f.fence = i.fence
            """;

    /** Stores these reports, each of which has a digest. */
    void keep(Tx tx, List<NodeReport> failed) throws SQLException {
        Columns<NodeReport> of = new Columns<>(failed);
        tx.update(
                KEEP,
                of.uuids(step -> step.job().value()),
                of.uuids(step -> step.posting().guid().value()),
                of.longs(step -> step.posting().fence()),
                of.uuids(step -> Objects.requireNonNull(step.resultDigest()).digest()));
    }

    /** The earlier reports under the fences of these steps. */
    Map<Guid, ResultDigest> find(Tx tx, List<NodeReport> steps) throws SQLException {
        Map<Guid, ResultDigest> found = HashMap.newHashMap(steps.size());
        Columns<NodeReport> of = new Columns<>(steps);
        tx.query(
                FIND,
                row -> found.put(
                        new Guid(row.getObject("guid", UUID.class)),
                        new ResultDigest(row.getObject("said", UUID.class))),
                of.uuids(step -> step.job().value()),
                of.uuids(step -> step.posting().guid().value()),
                of.longs(step -> step.posting().fence()));
        return found;
    }
}
