-- A database that was restored from a backup, and what its log knows that it does not.
--
--   restored   at most one row. Until `settled_at`, the log has not been compared with the database, and no server starts.
--              `ended` are the hashes of members and tokens that were ended after the backup, and have to be again.
--   lost_tag   the tag of a key that was accepted after the backup was made: a job that is lost here. A submission of the key is
--              answered with an unknown outcome until it expires. `position` is that of the accepted entry.

create table tally.restored (
    one_row     boolean     primary key default true check (one_row),
    made_at     timestamptz not null,
    restored_at timestamptz not null default now(),
    ended       bytea[]     not null default '{}',
    settled_at  timestamptz
);

create table tally.lost_tag (
    tag        bytea       primary key check (octet_length(tag) = 32),
    position   bigint      not null,
    expires_at timestamptz not null
);
