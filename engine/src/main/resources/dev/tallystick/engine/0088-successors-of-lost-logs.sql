-- A log that cannot be continued is followed by another one, with another name, another key and a directory of its own.
--
--   seal_log.number    1 for the first log of this database, 2 for the one that succeeds it, and so on. `begun_at` is when a
--                      successor began; null for the first log.
--   old_log            the logs before it: how far each was known, and why it was given up.
--   old_log_tile       the copies of their tiles and bundles, as in log_tile.
--   old_log_rotation   the last checkpoints of their keys, as in log_rotation.
--   sealed_job.log     the log that the positions of the row are in. Jobs that the database still has are sealed again into a
--                      successor; the rows of all others stay with their old log, and so do their receipts.
--   seal_fact.log      likewise, once the fact has a position.

alter table tally.seal_log add column number int not null default 1;
alter table tally.seal_log add column begun_at timestamptz;
alter table tally.sealed_job add column log int not null default 1;
alter table tally.seal_fact add column log int not null default 1;

create table tally.old_log (
    number         int         primary key,
    origin         text        not null,
    root_key       text        not null,
    size           bigint      not null,
    checkpoint     text,
    witnessed_size bigint      not null,
    witnessed      text,
    reason         text        not null,
    ended_at       timestamptz not null default now()
);

create table tally.old_log_tile (
    log    int      not null,
    level  smallint not null,
    number bigint   not null,
    width  smallint not null,
    bytes  bytea    not null,
    primary key (log, level, number)
);

alter table tally.old_log_tile alter column bytes set storage external;

create table tally.old_log_rotation (
    log        int    not null,
    size       bigint not null,
    checkpoint text   not null,
    primary key (log, size)
);
