package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Due work of graphs that needs no worker. It is not leased and keeps its fence: the first engine to reach it does it. */
public final class DueNodeStore {

    // "limit 1" makes the planner look rows up by key: it cannot know how few postings are due.
    private static final String DUE =
            DuePostingStore.LANES + """
            , due as materialized (
                select d.*
            """ + DuePostingStore.ofLanes("p.*", "<= now()", "?") + """
                where l.mesh is not null
                order by row_number() over (partition by l.mesh order by u.priority, d.visible_at)
                limit ?
            )
            select p.job_id, p.guid, coalesce(p.key, p.guid) as key, p.path, p.name, p.fence, p.awaits, p.mesh, a.input,
                p.attempts, p.visible_at + ? * interval '1 millisecond' <= now() as overdue,
                c.id is not null as child_closed, c.output as child_output, c.error as child_error, c.outcome as child_outcome
            from due p
            cross join lateral (
                select a.input
                from tally.activity a
                where a.job_id = p.job_id and a.path = p.path and a.name = p.name
                limit 1
            ) a
            left join lateral (
                select c.id, c.output, c.error, c.outcome
                from tally.job c
                where c.id = p.source
                limit 1
            ) c on true
            """;

    private static final String BEGIN = """
            with due as materialized (
                select p.job_id, p.guid
                from unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
                join tally.posting p on p.job_id = i.job_id and p.guid = i.guid
                where p.visible_at <= now()
                order by p.job_id, p.guid
                for update of p skip locked
            )
            update tally.posting p
            set attempts = p.attempts + 1, visible_at = now() + ? * interval '1 millisecond'
            from due d
            where p.job_id = d.job_id and p.guid = d.guid
            returning p.guid
            """;

    private static final String GIVE_BACK = """
            with begun as materialized (
                select p.job_id, p.guid
                from unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
                join tally.posting p on p.job_id = i.job_id and p.guid = i.guid
                where p.attempts > 0
                order by p.job_id, p.guid
                for update of p
            )
            update tally.posting p
            set attempts = p.attempts - 1, visible_at = now() + ? * interval '1 millisecond'
            from begun b
            where p.job_id = b.job_id and p.guid = b.guid
            """;

    /**
     * Work for the engine, with the data that it needs.
     *
     * @param begun how many counted starts it has had
     * @param overdue whether it should have been done long ago
     */
    public record Due(
            Lease posting,
            UUID key,
            String mesh,
            @Nullable String awaits,
            byte @Nullable [] input,
            int begun,
            boolean overdue,
            @Nullable Closed child) {}

    /** The work due for these graphs now; other engines may be doing it too. */
    public List<Due> due(Tx tx, Set<String> graphs, Duration late, int limit) throws SQLException {
        return tx.query(DUE, DueNodeStore::due, Queues.ofGraphs(graphs), limit, limit, late.toMillis());
    }

    /** Counts a start for each and hides it from other engines for a while; returns those that were still due. */
    Set<Guid> begin(Tx tx, List<Due> due, Duration lease) throws SQLException {
        Columns<Due> of = new Columns<>(due);
        return new HashSet<>(tx.query(
                BEGIN,
                row -> new Guid(row.getObject("guid", UUID.class)),
                of.uuids(each -> each.posting().job().value()),
                of.uuids(each -> each.posting().guid().value()),
                lease.toMillis()));
    }

    /** Takes back the count of starts that returned without having done the work. */
    void giveBack(Tx tx, List<Due> begun, Duration after) throws SQLException {
        Columns<Due> of = new Columns<>(begun);
        tx.update(
                GIVE_BACK,
                of.uuids(each -> each.posting().job().value()),
                of.uuids(each -> each.posting().guid().value()),
                after.toMillis());
    }

    private static Due due(ResultSet row) throws SQLException {
        Lease posting = NodeStore.lease(row);
        Closed child = row.getBoolean("child_closed")
                ? new Closed(
                        posting.job(),
                        JobOutcome.of(row.getString("child_outcome")),
                        row.getBytes("child_output"),
                        row.getString("child_error"))
                : null;
        return new Due(
                posting,
                row.getObject("key", UUID.class),
                row.getString("mesh"),
                row.getString("awaits"),
                row.getBytes("input"),
                row.getInt("attempts"),
                row.getBoolean("overdue"),
                child);
    }
}
