-- task      what a job asks people. The job enters it in a transaction of its own, and then waits for the signal `$task:<id>`,
--           which is the answer: `resolve` writes the row and sends the signal in one transaction. A task is open while it is
--           neither resolved nor expired and its job is open. `resolve_key` tells a repeated answer from a second one.
--           Lock order: task before job.

create table tally.task (
    id          uuid        primary key,
    job_id      uuid        not null,
    mesh        text        not null,
    name        text        not null,
    group_name  text,
    assignee    text,
    details     bytea       not null,
    escalations int         not null default 0,
    asked_at    timestamptz not null default now(),
    claimed_at  timestamptz,
    due_at      timestamptz,
    resolved_at timestamptz,
    resolved_by text,
    resolve_key text,
    expired_at  timestamptz,
    check (group_name is not null or assignee is not null),
    check ((assignee is null) = (claimed_at is null)),
    check ((resolved_at is null) = (resolved_by is null) and (resolved_at is null) = (resolve_key is null)),
    check (resolved_at is null or expired_at is null)
);

create index task_job on tally.task (job_id);
create index task_group on tally.task (mesh, group_name, asked_at, id) where resolved_at is null and expired_at is null;
create index task_assignee on tally.task (mesh, assignee, asked_at, id) where resolved_at is null and expired_at is null;
