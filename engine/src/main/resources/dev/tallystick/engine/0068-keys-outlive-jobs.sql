-- The retention of a key counts from the end of its job, also if the job is dropped before the key is.
--
--   dropped_job   when a job ended that was open for an hour or longer, or that had gone on as another one, and that has been
--                 dropped. The sweep of keys is an hour late, and so needs no such row for any other job.

create table tally.dropped_job (
    job_id    uuid        primary key,
    closed_at timestamptz not null
);

create index dropped_job_closed on tally.dropped_job (closed_at);
