-- The ends of jobs, for those who asked to be told of them.
--
--   end_watch  who wants to hear of the ends of which workflow's jobs.
--   ended_job  a job that has ended and that nobody was told of yet. The transaction that ends a job writes it, if somebody
--              watches its workflow at that moment; the transaction in which somebody is told takes it away. So an end is
--              told once, whoever dies in between; and a workflow that nobody watches costs no row.

create table tally.end_watch (
    mesh     text not null,
    workflow text not null,
    watcher  text not null,
    primary key (mesh, workflow, watcher)
);

create index end_watch_watcher on tally.end_watch (watcher);

create table tally.ended_job (
    job_id uuid primary key
);
