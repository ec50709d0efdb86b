-- What has happened to the daemon, for local readers: messages received, mentions, sends that died, changes of delivery.
-- The server keeps the messages; this file can be lost without losing one that was not yet acknowledged.
-- Times are milliseconds since 1970.

create table event (
    -- The id of the server-sent event.
    position integer primary key autoincrement,
    kind     text    not null check (kind in ('message', 'mention', 'dead', 'delivery')),
    -- What it is about: the id of the message or of the row. An event that comes twice is kept once.
    subject  text    not null,
    at       integer not null,
    -- Canonical JSON.
    data     text    not null,
    unique (kind, subject)
) strict;

create index event_age on event (at);

-- How far a reader has come: in the server's mentions, and in the events above.
create table cursor (
    name     text    not null primary key,
    position integer not null
) strict;
