package dev.tallystick.engine.view;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Attribute;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists jobs, newest first. Read-only. Ids sort by time, so a page is a walk down the mesh's index (one per requested state),
 * or down the index of one attribute value, starting at the last job of the previous page. No page counts or skips rows that it
 * does not show.
 */
public final class JobListStore {

    private static final String ALL = JobReadStore.COLUMNS + """
            from unnest(?::text[]) as s (state)
            cross join lateral (
                select *
                from tally.job o
                where o.mesh = ?
                    and coalesce(o.outcome, 'open') = s.state
                    and o.id >= ?
                    and o.id < ?
                    and (?::text is null or o.workflow = ?)
                order by o.id desc
                limit ?
            ) j
            order by j.id desc
            limit ?
            """;

    // The first attribute drives the search; each further attribute is one lookup per job by primary key.
    private static final String WITH_ATTRIBUTES = JobReadStore.COLUMNS + """
            from tally.attribute f
            join tally.job j on j.id = f.job_id
            where f.mesh = ?
                and f.name = ?
                and f.value = ?
                and f.job_id >= ?
                and f.job_id < ?
                and not exists (
                    select 1
                    from unnest(?::text[], ?::text[]) as w (name, value)
                    where not exists (
                        select 1
                        from tally.attribute o
                        where o.job_id = f.job_id and o.name = w.name and o.value = w.value
                    )
                )
                and j.mesh = ?
                and (?::text is null or j.workflow = ?)
                and (?::text is null or coalesce(j.outcome, 'open') = ?)
            order by f.job_id desc
            limit ?
            """;

    private static final String[] STATES = Stream.concat(
                    Stream.of(JobQuery.OPEN), Stream.of(JobOutcome.values()).map(JobOutcome::text))
            .toArray(String[]::new);

    private static final UUID FIRST = new UUID(0, 0);
    private static final UUID LAST = new UUID(-1, -1);

    public List<JobInfo> list(Tx tx, JobQuery query) throws SQLException {
        UUID from =
                query.since() == null ? FIRST : JobId.smallestAt(query.since()).value();
        UUID below = below(query);
        String workflow = query.workflow();
        String status = query.status();
        if (query.attributes().isEmpty()) {
            return tx.query(
                    ALL,
                    JobReadStore::info,
                    status == null ? STATES : new String[] {status},
                    query.mesh(),
                    from,
                    below,
                    workflow,
                    workflow,
                    query.limit(),
                    query.limit());
        }
        Attribute first = query.attributes().getFirst();
        Columns<Attribute> others =
                new Columns<>(query.attributes().subList(1, query.attributes().size()));
        return tx.query(
                WITH_ATTRIBUTES,
                JobReadStore::info,
                query.mesh(),
                first.name(),
                first.value(),
                from,
                below,
                others.texts(Attribute::name),
                others.texts(Attribute::value),
                query.mesh(),
                workflow,
                workflow,
                status,
                status,
                query.limit());
    }

    private static UUID below(JobQuery query) {
        @Nullable JobId until = query.until() == null ? null : JobId.smallestAt(query.until());
        @Nullable JobId after = query.after();
        if (until == null || after == null) {
            return until != null ? until.value() : after != null ? after.value() : LAST;
        }
        return until.compareTo(after) < 0 ? until.value() : after.value();
    }
}
