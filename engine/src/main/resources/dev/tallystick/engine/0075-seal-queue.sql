-- What has become true of jobs and is not in the sealed log yet.
--
--   seal_log     at most one row. While it exists, jobs are sealed; without it nothing below is ever written. `size` and
--                `checkpoint` are the anchor: the newest state of the log that was published. `owner`, `fence` and
--                `leased_until` say which process seals; a write with an older fence matches no row. `alarm` says why sealing
--                has stopped.
--   seal_queue   one row for each statement that accepted or closed jobs, written by that statement, so it commits if and only
--                if the fact does. `keys` and `members` stand beside `accepted`; null for a job without a key. The IDs in each
--                array ascend.
--
-- The order of `id` is the order of facts that depend on each other. A job is closed, or starts another one, only after the
-- transaction that accepted it has committed, and so after that transaction has drawn its `id`. A reader that takes the
-- smallest IDs it can see therefore takes each job's facts in order, and parents before children. Facts without such a
-- dependency may be sealed in any order.

create table tally.seal_log (
    one_row      boolean     primary key default true check (one_row),
    origin       text        not null,
    size         bigint      not null default 0,
    checkpoint   text,
    sealed_at    timestamptz not null default now(),
    owner        text,
    fence        bigint      not null default 0,
    leased_until timestamptz,
    alarm        text,
    alarmed_at   timestamptz,
    constraint seal_log_anchor check (size >= 0 and (size = 0) = (checkpoint is null)),
    constraint seal_log_alarm check ((alarm is null) = (alarmed_at is null))
) with (fillfactor = 50);

create table tally.seal_queue (
    id        bigint      generated always as identity primary key,
    accepted  uuid[],
    keys      text[],
    members   text[],
    closed    uuid[],
    -- Retention keeps this job and all that are younger. Job IDs are in the order of time.
    oldest    uuid        not null generated always as (least(accepted[1], closed[1])) stored,
    queued_at timestamptz not null default now()
);
