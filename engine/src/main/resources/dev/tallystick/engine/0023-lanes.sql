-- lane      the jobs of a workflow that share a limit, which is written in code: how many run at once, and how many begin within
--           a time. Their postings have queues of their own: `charge@1[42]` until they are leased for the first time, and
--           `charge@1[42]*` from then on. What runs is counted from those postings, so a place is free again when its lease is
--           given back or over, and no counter can go wrong. Whoever leases from a lane has locked its row, counts, and notes in
--           `starts` when jobs began; a job that is submitted touches nothing here.
--           `queues` are those from which something was ever leased.

create table tally.lane (
    mesh     text          not null,
    workflow text          not null,
    key      text          not null,
    queues   text[]        not null default '{}',
    starts   timestamptz[] not null default '{}',
    used_at  timestamptz   not null default now(),
    primary key (mesh, workflow, key)
);
