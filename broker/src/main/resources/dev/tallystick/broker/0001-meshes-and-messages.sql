-- The broker: who may ask, what was accepted, and to whom it goes.
--
-- A mesh is an isolated tenant, a member an authenticated party in it. Members send to destinations, written kind:name:
--
--     topic:alerts     a copy for each inbox that subscribed; none is fine
--     member:alice     one for the member's inbox
--     queue:invoices   one, for whoever takes it first
--     workflow:order   a job; the message and the job have one id
--
-- One transaction accepts a message. It writes a row of tally.key (see there), one of message, one of history, one of
-- delivery for each inbox, one of mention for each member that is mentioned, and the job. So each of these exists if
-- and only if all of them do; `tally` checks it every night and on demand.
--
--     key ── message ──┬── history      position is null until the sequencer has seen the row committed
--                      ├── delivery *   ──▶ leased (fence + 1) ──▶ done, or visible again when the lease runs out
--                      └── mention *
--
-- A number drawn from a sequence is not a commit order: a reader that remembers the highest number it has seen would miss
-- a lower one that commits later. So positions are given after the commit, by one sequencer at a time, which holds the
-- row of tally.sequencer: what it numbers is visible as a whole before it numbers anything further.
--
-- Lock order: keys first, sorted, as the key ledger says; nothing else that accepting does waits for anybody.
--
-- To read it with plain SQL:
--     select position, destination, message_id from tally.history where mesh = 'default' order by position;
--     select * from tally.delivery where mesh = 'default' and inbox = 'queue:invoices' and done_at is null;

create table tally.mesh (
    name       text        collate "C" primary key,
    created_at timestamptz not null default now()
);

create table tally.member (
    mesh       text        collate "C" not null references tally.mesh (name),
    name       text        collate "C" not null,
    roles      text[]      not null,
    created_at timestamptz not null default now(),
    primary key (mesh, name)
);

-- Of a token's secret only the hash is here. Who holds a token is the member that it names, as long as that exists.
create table tally.token (
    id         text        collate "C" primary key,
    mesh       text        collate "C" not null,
    member     text        collate "C" not null,
    hash       bytea       not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    foreign key (mesh, member) references tally.member (mesh, name) on delete cascade,
    constraint token_hash_length check (octet_length(hash) = 32)
);

create index token_member on tally.token (mesh, member);

-- The topics and queues that exist.
create table tally.destination (
    mesh       text        collate "C" not null references tally.mesh (name),
    kind       text        collate "C" not null,
    name       text        collate "C" not null,
    created_at timestamptz not null default now(),
    primary key (mesh, kind, name),
    constraint destination_kind check (kind in ('topic', 'queue'))
);

-- Which inboxes get a copy of what is sent to a destination. A member subscribes to topics; a webhook also to what is
-- sent to a member, and, as workflow:NAME, to the ends of jobs.
create table tally.subscription (
    mesh       text        collate "C" not null references tally.mesh (name),
    source     text        collate "C" not null,
    inbox      text        collate "C" not null,
    created_at timestamptz not null default now(),
    primary key (mesh, source, inbox)
);

create index subscription_inbox on tally.subscription (mesh, inbox);

-- Types instead of checks of the table: Postgres reads those anew for every statement that writes to it.
create domain tally.message_priority as smallint check (value between 0 and 2);
create domain tally.message_body_kind as text check (value in ('text', 'json'));

create table tally.message (
    id          uuid                    primary key,
    mesh        text                    collate "C" not null,
    sender      text                    collate "C" not null,
    -- Null for what the system itself announces.
    key         text                    collate "C",
    destination text                    collate "C" not null,
    reply_to    text,
    priority    tally.message_priority  not null,
    meta        text                    not null,
    -- Joined by commas, which no mention contains.
    mentions    text                    not null,
    -- Text and JSON are told apart: the same characters are different messages.
    body_kind   tally.message_body_kind not null,
    body        bytea                   not null,
    traceparent text,
    accepted_at timestamptz             not null default now()
);

create table tally.history (
    id          uuid        primary key,
    message_id  uuid        not null,
    mesh        text        collate "C" not null,
    destination text        collate "C" not null,
    accepted_at timestamptz not null default now(),
    position    bigint
);

create index history_unsequenced on tally.history (id) where position is null;
create unique index history_position on tally.history (position) where position is not null;
create index history_destination on tally.history (mesh, destination, position) where position is not null;
create index history_mesh on tally.history (mesh, position) where position is not null;
-- For retention.
create index history_accepted on tally.history (accepted_at);
-- For the orphan check.
create index history_message on tally.history (message_id);

create table tally.sequencer (
    name     text   primary key,
    position bigint not null
);

insert into tally.sequencer (name, position)
values ('history', 0);

create table tally.mention (
    mesh       text collate "C" not null,
    member     text collate "C" not null,
    message_id uuid not null,
    primary key (mesh, member, message_id)
);

create index mention_message on tally.mention (message_id);

-- A lease is a visible_at that lies ahead; whoever takes the delivery raises the fence, so that a late holder fits no
-- row any more. The times are those of the database's clock.
create table tally.delivery (
    message_id uuid        not null,
    inbox      text        collate "C" not null,
    mesh       text        collate "C" not null,
    priority   smallint    not null,
    visible_at timestamptz not null default now(),
    fence      bigint      not null default 0,
    attempts   int         not null default 0,
    done_at    timestamptz,
    -- Why the last attempt failed, and since when nothing more is attempted.
    error      text,
    dead_at    timestamptz,
    primary key (message_id, inbox),
    constraint delivery_fence check (fence >= 0 and attempts >= 0)
) with (fillfactor = 80);

create index delivery_open on tally.delivery (mesh, inbox, priority, message_id) where done_at is null and dead_at is null;
