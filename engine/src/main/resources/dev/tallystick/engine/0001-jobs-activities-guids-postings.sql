-- How a job lives in these tables
--
--   job       one run of a workflow. `semaphore` counts its open obligations. The transition that brings it to `threshold`
--             closes the job: `closed_by` names it, `outcome` says how it ended.
--   activity  one node of a job, at one place (`path`). `ledger` holds its 15 digits: how often each leg was entered and
--             which durable steps have ever committed. `output` or `error` is what its last Leg 2 brought. In a graph
--             `path` is the dimension (`poll:3` is the fourth round of `poll`), `input` is what a worker gets, and a join
--             has a bit in `arrived` for each branch that has come, and in `skipped` for each of those that was not taken.
--   guid      one Leg 2 transition: what an activity was told, once. `ledger` holds its 15 digits, which alone decide what
--             is still to be done when the transition comes again; `ordinal` is the dimension it was given at first entry.
--   posting   what somebody still has to do: work for a worker, or a moment to wait for. It is due at `visible_at`. Whoever
--             leases it moves `visible_at` ahead and raises `fence`; a result under an older fence is refused. It is gone
--             when its result is recorded: posting and guid never say the same thing twice. What one job does to another
--             is such a posting too, so that nobody ever locks two jobs. `attempts` counts how often a worker has begun it;
--             a hook that waits for a signal has a posting which `awaits` that.
--   signal    what was sent to a job, by the sender's key, in the order of arrival, until a wait takes it.
--
-- The flow: accept (job, activity $main, posting) -> lease -> Leg 1 of a step (activity) -> its work -> Leg 2 (guid, activity)
-- -> ... -> Leg 2 of $main (guid, activity, job closed, posting gone). Every arrow is one transaction, and each one that is
-- missing can be seen from what the one before has left.
--
-- A graph has no body: accept (job, its trigger, posting) -> Leg 2 of the trigger, which enters what follows (guid, activities,
-- postings, semaphore) -> lease by a worker -> Leg 2 of that, which enters what follows -> ... -> the Leg 2 that leaves
-- nothing open (job closed).
--
-- Lock order: key, job, posting, activity, guid; within a table by job id and then by key.
-- Readable by hand: select lpad(ledger::text, 15, '0') from tally.activity; then `tally explain` on the digits.

-- What one value must be is said by its type, and not by a check of the table: Postgres reads the checks of a table anew for
-- every statement that writes to it, those of a type once in a session.
create domain tally.activity_ledger as bigint check (value between 0 and 999999999999999);
create domain tally.guid_ledger as bigint check (value between 0 and 999999999999);
create domain tally.semaphore as int check (value >= 0);
create domain tally.natural as int check (value >= 0);
create domain tally.branches as bigint check (value >= 0);
create domain tally.priority as smallint check (value between 0 and 2);
create domain tally.outcome as text
    check (value in ('completed', 'failed', 'cancelled', 'timed_out', 'continued'));

create table tally.job (
    id             uuid            primary key,
    mesh           text            not null,
    workflow       text            not null,
    version        int             not null,
    semaphore      tally.semaphore not null,
    threshold      tally.semaphore not null default 0,
    priority       tally.priority  not null default 1,
    input          bytea           not null,
    output         bytea,
    error          text,
    outcome        tally.outcome,
    closed_by      uuid,
    created_at     timestamptz     not null default now(),
    closed_at      timestamptz,
    parent_job     uuid,
    parent_guid    uuid,
    parent_path    text,
    parent_name    text,
    continued_from uuid,
    check (
        case when closed_by is null
            then closed_at is null and outcome is null
            else closed_at is not null and semaphore = 0
        end
    )
) with (fillfactor = 80);

create index job_parent on tally.job (parent_job) where parent_job is not null;

create table tally.activity (
    job_id     uuid                  not null,
    path       text                  not null,
    name       text                  not null,
    kind       text                  not null,
    ledger     tally.activity_ledger not null,
    attempts   tally.natural         not null default 0,
    input      bytea,
    output     bytea,
    error      text,
    arrived    tally.branches,
    skipped    tally.branches,
    entered_at timestamptz           not null default now(),
    primary key (job_id, path, name)
) with (fillfactor = 80);

create table tally.guid (
    job_id     uuid              not null,
    guid       uuid              not null,
    path       text              not null,
    name       text              not null,
    ordinal    tally.natural     not null,
    ledger     tally.guid_ledger not null,
    fence      bigint            not null default 0,
    entered_at timestamptz       not null default now(),
    primary key (job_id, guid)
) with (fillfactor = 80);

-- A transition that closed its job and has not run the completion tasks: digit 4 set, digit 7 not.
create index guid_unfinished on tally.guid (entered_at)
    where (ledger / 100000000000) % 10 = 1 and (ledger / 100000000) % 10 = 0;

create table tally.posting (
    job_id     uuid        not null,
    guid       uuid        not null,
    mesh       text        not null,
    queue      text        not null,
    priority   smallint    not null,
    visible_at timestamptz not null,
    fence      bigint      not null default 0,
    owner      text,
    attempts   tally.natural not null default 0,
    path       text        not null,
    name       text        not null,
    awaits     text,
    source     uuid,
    primary key (job_id, guid)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

create index posting_due on tally.posting (queue, mesh, priority, visible_at);

create table tally.signal (
    job_id     uuid        not null,
    name       text        not null,
    sender_key text        not null,
    ordinal    bigint      generated always as identity,
    payload    bytea       not null,
    taken_by   uuid,
    sent_at    timestamptz not null default now(),
    primary key (job_id, name, sender_key)
);
