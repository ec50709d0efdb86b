-- job_event what happened to a job, in an order that readers can remember. It is numbered by whoever reads: a job that nobody
--           watches has no rows here, and running it costs nothing for this. A reader locks the job's row in job_log, gives the
--           next positions to what it sees committed and what has none, and commits before the next reader begins. So when a
--           position can be read, nothing with a lower one will ever appear, in whatever order transactions commit.
--           `subject` tells what happened from other things of the same kind: the place and name of an activity, the GUID of
--           what it was told, the name and key of a signal.
-- job_log   how far the numbering of a job has come.

create table tally.job_log (
    job_id uuid   primary key,
    last   bigint not null default 0
);

create table tally.job_event (
    job_id   uuid        not null,
    position bigint      not null,
    event    text        not null check (event in ('accepted', 'entered', 'signalled', 'returned', 'closed')),
    subject  text        not null,
    path     text,
    name     text,
    kind     text,
    outcome  text,
    error    text,
    at       timestamptz not null,
    primary key (job_id, position),
    unique (job_id, event, subject)
);
