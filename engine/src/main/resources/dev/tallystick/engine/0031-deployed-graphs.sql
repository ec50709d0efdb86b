-- graph     a graph that was deployed: every engine on this database that looks here registers it, at once or a little later, and
--           whenever it starts. A version never changes: jobs that were begun with it rely on what it says, so the row is
--           inserted once and neither updated nor deleted. Whoever deploys it again compares the text.

create table tally.graph (
    name        text        not null,
    version     int         not null,
    yaml        text        not null,
    deployed_by text        not null,
    deployed_at timestamptz not null default now(),
    primary key (name, version)
);
