-- What is sealed besides the acceptances and ends of jobs, and which jobs were erased.
--
--   seal_fact  a fact that the transaction in which it became true wrote here, if jobs are sealed. `type` is that of its entry.
--              `id` is drawn from the sequence of seal_queue, so that it orders the facts of both. `subject` is what its
--              commitments are bound to: the ID of a job, or what an operator changed. `record` is a JSON object, and the entry
--              commits to each of its fields. The sealer draws `salt` and sets `position`; a position below the log's size is
--              proven, one at or above it is in the intent. `ends` is a hash of a member or a token that an operator ended: it is
--              in the entry itself, so that a restored database can learn of it. Erasing a job deletes the records and salts of its facts.
--   erasure    a job that was erased. Repeats of the request get this answer. `key` and `member` are those of a key whose text is
--              still to be removed; null once it is.

create table tally.seal_fact (
    id        bigint      primary key default nextval('tally.seal_queue_id_seq'),
    type      smallint    not null check (type between 3 and 5),
    mesh      text        not null,
    subject   text        not null,
    record    bytea,
    ends      bytea       check (octet_length(ends) = 32),
    salt      bytea       check (octet_length(salt) = 32),
    position  bigint,
    queued_at timestamptz not null default now()
);

create index seal_fact_open on tally.seal_fact (id) where position is null;
create index seal_fact_subject on tally.seal_fact (subject);

create table tally.erasure (
    job_id    uuid        primary key,
    mesh      text        not null,
    erased_at timestamptz not null default now(),
    erased_by text        not null,
    key       text,
    member    text,
    constraint erasure_key check ((key is null) = (member is null))
);

create index erasure_open on tally.erasure (job_id) where key is not null;
