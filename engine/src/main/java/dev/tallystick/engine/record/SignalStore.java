package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The signal table: the signals sent to jobs, and the wait that took each. Sender and wait both lock the job before they come
 * here, so the next wait finds a signal that found no wait, and vice versa.
 */
public final class SignalStore {

    private static final String SEND = """
            insert into tally.signal (job_id, name, sender_key, payload)
            select *
            from unnest(?::uuid[], ?::text[], ?::text[], ?::bytea[])
            on conflict (job_id, name, sender_key) do nothing
            returning job_id, name, sender_key
            """;

    private static final String SEEN = """
            with item as (
                select *
                from unnest(?::uuid[], ?::text[], ?::text[]) as i (job_id, name, sender_key)
            )
            select s.job_id, s.name, s.sender_key
            from tally.signal s
            join item i on i.job_id = s.job_id and i.name = s.name and i.sender_key = s.sender_key
            union all
            select i.job_id, i.name, i.sender_key
            from item i
            join tally.job j on j.id = i.job_id
            join tally.signal s on s.first_job = j.first_job and s.name = i.name and s.sender_key = i.sender_key
            """;

    private static final String OPEN_WAITS = LedgerSql.in("""
            select a.job_id, a.path, a.name
            from tally.activity a
            join (select distinct * from unnest(?::uuid[], ?::text[])) as i (job_id, name)
                on i.job_id = a.job_id and i.name = a.name
            where (a.ledger / {WORK_DONE}) % 10 = 0
            order by a.entered_at, a.path
            """);

    // One signal per wait and one wait per signal: both are numbered, and equal numbers match. A wait that already has
    // its result is repeated when the reply to its dispatch was lost; it takes no second signal. Neither does a wait
    // that has been given a signal whose result is not recorded yet.
    private static final String TAKE = """
            with wait as (
                select *, row_number() over (partition by job_id, name order by n) as turn
                from unnest(?::uuid[], ?::uuid[], ?::text[]) with ordinality as w (job_id, guid, name, n)
                where not exists (select 1 from tally.guid g where g.job_id = w.job_id and g.guid = w.guid)
                    and not exists (
                        select 1
                        from tally.signal t
                        where t.job_id = w.job_id and t.name = w.name and t.taken_by = w.guid
                    )
            ),
            free as (
                select s.job_id, s.name, s.sender_key, s.payload,
                    row_number() over (partition by s.job_id, s.name order by s.ordinal) as turn
                from tally.signal s
                join (select distinct job_id, name from wait) w on w.job_id = s.job_id and w.name = s.name
                where s.taken_by is null
            )
            update tally.signal s
            set taken_by = w.guid
            from free f
            join wait w on w.job_id = f.job_id and w.name = f.name and w.turn = f.turn
            where s.job_id = f.job_id and s.name = f.name and s.sender_key = f.sender_key
            returning w.guid, s.payload
            """;

    private static final String GIVEN_TO = """
            select s.taken_by, s.payload
            from tally.signal s
            join unnest(?::uuid[], ?::uuid[]) as i (job_id, guid) on i.job_id = s.job_id and i.guid = s.taken_by
            """;

    /** A hook that waits for a signal: the posting that the signal answers. */
    public record Wait(Lease posting, String signal) {}

    /** The name of a wait for a signal. */
    public static String waitName(String signal) {
        return "$await:" + signal;
    }

    /** Stores the signals, and returns those whose key is new. */
    public Set<SentSignal.Id> send(Tx tx, List<SentSignal> sent) throws SQLException {
        Columns<SentSignal> of = new Columns<>(sent);
        return new HashSet<>(tx.query(
                SEND,
                SentSignal::id,
                of.uuids(signal -> signal.id().job().value()),
                of.texts(signal -> signal.id().name()),
                of.texts(signal -> signal.id().senderKey()),
                of.bytes(SentSignal::payload)));
    }

    public Set<SentSignal.Id> seen(Tx tx, List<SentSignal.Id> ids) throws SQLException {
        Columns<SentSignal.Id> of = new Columns<>(ids);
        return new HashSet<>(tx.query(
                SEEN,
                SentSignal::id,
                of.uuids(id -> id.job().value()),
                of.texts(SentSignal.Id::name),
                of.texts(SentSignal.Id::senderKey)));
    }

    /** Activities that wait for signals of these names, oldest first. */
    public List<ActivityId> openWaits(Tx tx, Set<SentSignal.Id> ids) throws SQLException {
        Columns<SentSignal.Id> of = new Columns<>(List.copyOf(ids));
        return tx.query(
                OPEN_WAITS,
                row -> new ActivityId(
                        new JobId(row.getObject("job_id", UUID.class)), row.getString("path"), row.getString("name")),
                of.uuids(id -> id.job().value()),
                of.texts(id -> waitName(id.name())));
    }

    /** Gives each hook the oldest untaken signal, and returns the payloads. */
    public Map<Guid, byte[]> takeFor(Tx tx, List<Wait> waits) throws SQLException {
        Map<Guid, byte[]> taken = new HashMap<>();
        Columns<Wait> of = new Columns<>(waits);
        tx.query(
                TAKE,
                row -> taken.put(new Guid(row.getObject("guid", UUID.class)), row.getBytes("payload")),
                of.uuids(wait -> wait.posting().job().value()),
                of.uuids(wait -> wait.posting().guid().value()),
                of.texts(Wait::signal));
        return taken;
    }

    /** The payloads that these waits have already been given. */
    public Map<Guid, byte[]> givenTo(Tx tx, List<Lease> waits) throws SQLException {
        Map<Guid, byte[]> given = new HashMap<>();
        Columns<Lease> of = new Columns<>(waits);
        tx.query(
                GIVEN_TO,
                row -> given.put(new Guid(row.getObject("taken_by", UUID.class)), row.getBytes("payload")),
                of.uuids(wait -> wait.job().value()),
                of.uuids(wait -> wait.guid().value()));
        return given;
    }

    /** Gives each wait the oldest untaken signal, and returns the resulting transitions. */
    public List<LegTwo> take(Tx tx, List<ActivityId> waits) throws SQLException {
        Map<Guid, ActivityId> byGuid = new HashMap<>();
        waits.forEach(wait -> byGuid.put(Guid.of(wait, 0), wait));
        Columns<ActivityId> of = new Columns<>(waits);
        List<LegTwo> told = new ArrayList<>();
        tx.query(
                TAKE,
                row -> {
                    Guid guid = new Guid(row.getObject("guid", UUID.class));
                    ActivityId wait = byGuid.get(guid);
                    return wait != null
                            && told.add(LegTwo.answering(new Lease(wait, guid, 0), row.getBytes("payload"), null));
                },
                of.uuids(wait -> wait.job().value()),
                of.uuids(wait -> Guid.of(wait, 0).value()),
                of.texts(wait -> wait.name().substring(waitName("").length())));
        return told;
    }
}
