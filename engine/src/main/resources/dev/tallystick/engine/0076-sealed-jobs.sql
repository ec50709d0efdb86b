-- How facts get from the queue into the sealed log, and what receipts are made of.
--
--   seal_intent   the batch that is being sealed: at most one, and it begins at the log's `size`. It fixes everything that will
--                 be signed and written: the entries, and the note with its root. The process that seals, or its successor, finishes
--                 exactly this batch: files, checkpoint, then anchor. It is gone when the anchor has moved.
--   sealed_job    what proves a job's entries: their positions in the log, the records that they commit to, and the salt that
--                 opens the commitments. A position below the log's `size` is proven; one at or above it is in the intent.
--                 A job that was accepted before the log began has no position for that.
--                 Erasing a job deletes its salt and records; positions and proofs stay. These rows outlive the jobs.
--   sealed_member the entry that commits to the secret of a member, for each generation of it.
--   log_tile      a copy of the log's files: hash tiles by level, and bundles of entries at level -1. `width` counts what a
--                 tile holds so far, 256 when it is full. Any process makes proofs from these rows, and the files can be
--                 written again from them.

create table tally.seal_intent (
    one_row  boolean  primary key default true check (one_row),
    old_size bigint   not null unique,
    fence    bigint   not null,
    note     text     not null,
    entries  bytea[]  not null,
    queued   bigint[] not null,
    constraint seal_intent_grows check (old_size >= 0 and cardinality(entries) > 0)
);

create table tally.sealed_job (
    id              uuid   primary key,
    mesh            text   not null,
    salt            bytea,
    accepted        bigint,
    accepted_record bytea,
    closed          bigint,
    closed_record   bytea,
    erased          bigint,
    constraint sealed_job_order check (closed > accepted and erased > accepted),
    constraint sealed_job_salt check (octet_length(salt) = 32)
);

create table tally.sealed_member (
    mesh       text   collate "C" not null,
    member     text   collate "C" not null,
    generation int    not null,
    position   bigint not null,
    primary key (mesh, member, generation)
);

create table tally.log_tile (
    level  smallint not null,
    number bigint   not null,
    width  smallint not null,
    bytes  bytea    not null,
    primary key (level, number),
    constraint log_tile_shape check (level >= -1 and number >= 0 and width between 1 and 256)
);

alter table tally.log_tile alter column bytes set storage external;
