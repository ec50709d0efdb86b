-- workflow  a workflow that some process has registered, in one version, so that others can submit jobs of it, and do the work of
--           its topics, without having it themselves. Whoever registers it says what it is like now. Rows stay when the process
--           is gone: another one may come for the jobs.
--
-- yaml      what the graph is like; null for code
-- limited   whether its jobs have a limit, whose key only those can find who have the code

create table tally.workflow (
    name    text    not null,
    version int     not null check (version > 0),
    yaml    text,
    limited boolean not null,
    primary key (name, version)
);
