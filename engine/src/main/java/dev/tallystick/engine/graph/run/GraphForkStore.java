package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the closed job of a graph that is forked, and copies what the new job gets besides its record. */
final class GraphForkStore {

    // An activity that received several events has a row for each, and its output is stored with the transition.
    private static final String RECORD = LedgerSql.in("""
            select a.path, a.name, a.kind, a.input, g.guid, g.ordinal, s.payload,
                case when g.output is null and g.error is null then a.output else g.output end as output,
                case when g.output is null and g.error is null then a.error else g.error end as error,
                g.guid = j.closed_by and j.outcome <> 'completed' as ended
            from tally.job j
            join tally.activity a on a.job_id = j.id
            left join tally.guid g
                on g.job_id = a.job_id and g.path = a.path and g.name = a.name and (g.ledger / {WORK_DONE}) % 10 = 1
            left join tally.signal s on s.job_id = g.job_id and s.taken_by = g.guid
            where j.id = ?
                and a.name not like '$%'
            order by a.entered_at, a.path, a.name, g.ordinal
            limit ?
            """);

    private static final String DIMENSIONS = """
            select guid, ordinal
            from tally.guid
            where job_id = ?
            """;

    private static final String COPY_TAKEN = """
            insert into tally.signal (job_id, name, sender_key, payload, taken_by, sent_at)
            select ?, s.name, s.sender_key, s.payload, i.taken_by, s.sent_at
            from tally.signal s
            join unnest(?::uuid[], ?::uuid[]) as i (guid, taken_by) on i.guid = s.taken_by
            where s.job_id = ?
            order by s.ordinal
            on conflict (job_id, name, sender_key) do nothing
            """;

    /**
     * An event that an activity received, or an activity that received none.
     *
     * @param guid identifies the event; null for none
     * @param ordinal the dimension of the event
     * @param ended whether this ended the job, other than successfully
     * @param output its output
     * @param signal the payload of the signal that a hook took, or null
     */
    record Entry(
            String path,
            String name,
            String kind,
            @Nullable Guid guid,
            int ordinal,
            boolean ended,
            byte @Nullable [] input,
            byte @Nullable [] output,
            @Nullable String error,
            byte @Nullable [] signal) {

        /** The place as people write it. */
        String place() {
            return path.isEmpty() ? name : name + "@" + path;
        }
    }

    List<Entry> record(Tx tx, JobId job, int limit) throws SQLException {
        return tx.query(RECORD, GraphForkStore::entry, job.value(), limit);
    }

    /** The dimension of each transition of a job. */
    Map<Guid, Integer> dimensions(Tx tx, JobId job) throws SQLException {
        Map<Guid, Integer> dimensions = new HashMap<>();
        tx.query(
                DIMENSIONS,
                row -> dimensions.put(new Guid(row.getObject("guid", UUID.class)), row.getInt("ordinal")),
                job.value());
        return dimensions;
    }

    /** Copies the signals that the recalled waits took, from the waits of the old job to those of the new one. */
    void copyTaken(Tx tx, JobId from, JobId to, Map<Guid, Guid> waits) throws SQLException {
        Columns<Map.Entry<Guid, Guid>> of = new Columns<>(List.copyOf(waits.entrySet()));
        tx.update(
                COPY_TAKEN,
                to.value(),
                of.uuids(wait -> wait.getKey().value()),
                of.uuids(wait -> wait.getValue().value()),
                from.value());
    }

    private static Entry entry(ResultSet row) throws SQLException {
        UUID guid = row.getObject("guid", UUID.class);
        return new Entry(
                row.getString("path"),
                row.getString("name"),
                row.getString("kind"),
                guid == null ? null : new Guid(guid),
                row.getInt("ordinal"),
                row.getBoolean("ended"),
                row.getBytes("input"),
                row.getBytes("output"),
                row.getString("error"),
                row.getBytes("payload"));
    }
}
