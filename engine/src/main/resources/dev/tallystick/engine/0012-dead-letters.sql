-- A closed job may be done again: as a rerun, from the beginning, or as a fork, with what was recorded before one of its steps.
-- Both are `continued_from` it, and nothing that is said to the old job follows them.
--
--   job.keys_of    the job under whose keys a fork asks foreign systems: what it does again may have been done already. A rerun
--                  has keys of its own.
--   dead_letter    a job that failed or was not done in time, and that nobody waits for: somebody has to decide. To redrive it
--                  is to fork it where it failed, once; `redriven_as` is that fork. `ceiling` says that a ledger was full.

alter table tally.job add column keys_of uuid;

create table tally.dead_letter (
    job_id      uuid        primary key,
    mesh        text        not null,
    workflow    text        not null,
    version     int         not null,
    reason      text        not null,
    ceiling     boolean     not null,
    raised_at   timestamptz not null default now(),
    redriven_as uuid,
    redriven_at timestamptz,
    check ((redriven_as is null) = (redriven_at is null))
);

create index dead_letter_open on tally.dead_letter (mesh, raised_at, job_id) where redriven_as is null;
