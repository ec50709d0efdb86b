-- schedule  what is to be done again and again: a workflow, its input, and when. `next_at` is the next moment of it. Whoever
--           finds it due locks the row, submits the job under the key `schedule:<name>:<moment>` and moves `next_at` ahead, all
--           in one transaction: so two processes that fire at once start one job, and there is nothing between firing and
--           noting it. Moments that passed while nobody looked come to one job, for the last of them.
--           `trouble` says why the last moment could not be served.

create table tally.schedule (
    mesh        text        not null,
    name        text        not null,
    member      text        not null,
    workflow    text        not null,
    cron        text        not null,
    zone        text        not null,
    input       bytea       not null,
    fingerprint bytea       not null,
    priority    smallint    not null check (priority between 0 and 2),
    next_at     timestamptz not null,
    paused_at   timestamptz,
    fired_for   timestamptz,
    fired_job   uuid,
    trouble     text,
    created_at  timestamptz not null default now(),
    primary key (mesh, name)
);

create index schedule_due on tally.schedule (next_at) where paused_at is null;
