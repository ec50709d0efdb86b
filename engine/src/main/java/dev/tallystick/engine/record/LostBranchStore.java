package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.engine.model.LostBranch;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The open work of branches that their parents no longer wait for. The caller has locked the jobs. */
final class LostBranchStore {

    private static final String MEMBERS = LedgerSql.in("""
            select a.job_id, a.path, a.name, a.kind, (a.ledger / {WORK_DONE}) % 10 = 1 as done
            from unnest(?::uuid[], ?::text[]) as b (job_id, path)
            join tally.activity a on a.job_id = b.job_id and (a.path = b.path or starts_with(a.path, b.path || '.'))
            """);

    private static final String OPEN_CHILDREN = """
            select c.id
            from unnest(?::uuid[], ?::text[]) as i (job_id, path)
            join tally.job c on c.parent_job = i.job_id and c.parent_path = i.path
            where c.closed_by is null
            """;

    private static final String GIVE_BACK = """
            with given as (
                update tally.signal s
                set taken_by = null
                from unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[]) as w (job_id, guid, path, name)
                where s.job_id = w.job_id
                    and s.taken_by = w.guid
                returning s.job_id, s.name, s.sender_key, w.path, w.name as wait
            ),
            forgotten as (
                update tally.activity a
                set output = null, error = ?
                from given g
                where a.job_id = g.job_id and a.path = g.path and a.name = g.wait
            )
            select job_id, name, sender_key
            from given
            """;

    /** An activity of a lost branch, or the branch itself. */
    record Member(ActivityId activity, String kind, boolean isDone) {

        Guid guid() {
            return Guid.of(activity, 0);
        }
    }

    List<Member> members(Tx tx, List<ActivityId> branches) throws SQLException {
        Columns<ActivityId> of = new Columns<>(branches);
        return tx.query(
                MEMBERS,
                LostBranchStore::member,
                of.uuids(branch -> branch.job().value()),
                of.texts(ActivityId::path));
    }

    /** The open jobs that these activities dispatched. */
    List<JobId> openChildren(Tx tx, List<Member> parents) throws SQLException {
        Columns<Member> of = new Columns<>(parents);
        return tx.query(
                OPEN_CHILDREN,
                row -> new JobId(row.getObject("id", UUID.class)),
                of.uuids(parent -> parent.activity().job().value()),
                of.texts(parent -> parent.activity().path()));
    }

    /** Takes the signals back from waits that have them, and returns those signals. */
    Set<SentSignal.Id> giveBack(Tx tx, List<Member> waits) throws SQLException {
        Columns<Member> of = new Columns<>(waits);
        return new HashSet<>(tx.query(
                GIVE_BACK,
                SentSignal::id,
                of.uuids(wait -> wait.activity().job().value()),
                of.uuids(wait -> wait.guid().value()),
                of.texts(wait -> wait.activity().path()),
                of.texts(wait -> wait.activity().name()),
                LostBranch.ERROR));
    }

    private static Member member(ResultSet row) throws SQLException {
        JobId job = new JobId(row.getObject("job_id", UUID.class));
        return new Member(
                new ActivityId(job, row.getString("path"), row.getString("name")),
                row.getString("kind"),
                row.getBoolean("done"));
    }
}
