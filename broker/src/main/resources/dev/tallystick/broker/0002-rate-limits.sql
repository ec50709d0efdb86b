-- How much of its budget each member has used in the current window, and what was granted in it.
--
-- Unlogged: a crash of the database server empties these tables, and every budget begins anew. That costs nothing that
-- anybody relies on, and spares each request a flush to disk.

create unlogged table tally.rate_window (
    mesh          text   collate "C" not null,
    member        text   collate "C" not null,
    window_number bigint not null,
    used          int    not null,
    primary key (mesh, member)
) with (fillfactor = 50);

-- What comes again under the same key, with the same fingerprint and in the same window is granted again for nothing,
-- a few times; repeats counts these.
create unlogged table tally.rate_grant (
    key           text   collate "C" not null,
    mesh          text   collate "C" not null,
    member        text   collate "C" not null,
    fingerprint   bytea  not null,
    window_number bigint not null,
    repeats       int    not null,
    primary key (key, mesh, member, fingerprint)
);

create index rate_grant_window on tally.rate_grant (window_number);
