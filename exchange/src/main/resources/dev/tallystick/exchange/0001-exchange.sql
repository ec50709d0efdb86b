-- The exchange: postings from a producer n to a consumer p, and the results that come back. Each participant has these tables
-- in its own database; a participant may be both, and several participants may share a database.
--
--     producer n                                     consumer p
--     exchange_posting   ── posting ───────────────▶ exchange_received
--                        ◀─────────────── receipt ──
--                        ◀──────────────── result ──
--                        ── acknowledgement ───────▶
--
-- A row's status (ack, processing) only moves forward, by updates whose where clause names the statuses they may leave:
--
--     producer   NACKED_POSTING, PENDING ──▶ ACKED_POSTING, PENDING ──▶ ACKED_RESULT, OK | REJECTED
--                          └──────────────── (the result overtakes) ──────────▲
--     consumer   ACKED_POSTING, PENDING ──▶ NACKED_RESULT, OK | REJECTED ──▶ ACKED_RESULT, OK | REJECTED
--
-- due_at is when something has to be done about a row if nothing else happens before: publish it again, or run its handler
-- again. Whoever does it moves due_at first, so one instance does it. Null: nothing has to be done any more.
--
-- audit is a row's trail, a line for each change: when, which participant and instance, what.
--
-- To read it with plain SQL:
--     select id, consumer, ack, processing, replays, audit from tally.exchange_posting where due_at is not null;
--     select * from tally.exchange_issue where resolved_at is null order by raised_at;

create domain tally.exchange_name as text collate "C" check (char_length(value) between 1 and 64);
create domain tally.exchange_id as text collate "C" check (char_length(value) between 1 and 128);
create domain tally.exchange_ack as text collate "C"
    check (value in ('NACKED_POSTING', 'ACKED_POSTING', 'NACKED_RESULT', 'ACKED_RESULT'));
create domain tally.exchange_processing as text collate "C" check (value in ('PENDING', 'REJECTED', 'OK'));
create domain tally.exchange_digest as bytea check (octet_length(value) = 32);
create domain tally.exchange_payload as bytea check (octet_length(value) <= 1048576);
create domain tally.exchange_count as integer check (value >= 0);

-- A line of an audit trail.
create function tally.exchange_line(who text, what text) returns text language sql stable
    return to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z" ') || who || ' ' || what || chr(10);

-- What we have posted.
create table tally.exchange_posting (
    producer       tally.exchange_name       not null,
    id             tally.exchange_id         not null,
    consumer       tally.exchange_name       not null,
    ack            tally.exchange_ack        not null default 'NACKED_POSTING',
    processing     tally.exchange_processing not null default 'PENDING',

    -- Attempts of the current publish sequence, and publications beyond the first of all sequences; counted before they happen.
    attempt        tally.exchange_count      not null,
    retries        tally.exchange_count      not null default 0,
    published_at   timestamptz,
    -- Publications of a posting that the consumer had acknowledged.
    replays        tally.exchange_count      not null default 0,
    last_datum     timestamptz,
    due_at         timestamptz,
    inception_datum timestamptz              not null default now(),
    deadline       timestamptz               not null,
    deadline_missed boolean                  not null default false,

    order_key      text                      collate "C",
    order_number   bigint,
    fingerprint    tally.exchange_digest     not null,
    payload        tally.exchange_payload    not null,
    checkpoint     text                      not null default '',

    -- Ours over the posting, the consumer's over its receipt and its result, ours over the result.
    signature      bytea                     not null,
    receipt        bytea,
    result_signature bytea,
    countersignature bytea,

    outcome_digest tally.exchange_digest,
    outcome        tally.exchange_payload,
    reason         text,
    settled_at     timestamptz,
    audit          text                      not null,

    primary key (producer, id),
    constraint exchange_posting_shape check (
        (processing = 'PENDING') = (ack in ('NACKED_POSTING', 'ACKED_POSTING'))
        and (processing = 'PENDING') = (outcome_digest is null)
        and (processing = 'PENDING') = (settled_at is null)
        and (order_key is null) = (order_number is null)
    )
);

create index exchange_posting_due on tally.exchange_posting (producer, due_at) where due_at is not null;

-- What we have received.
create table tally.exchange_received (
    consumer       tally.exchange_name       not null,
    producer       tally.exchange_name       not null,
    id             tally.exchange_id         not null,
    ack            tally.exchange_ack        not null default 'ACKED_POSTING',
    processing     tally.exchange_processing not null default 'PENDING',

    -- How often the handler was started: the fence of the one that runs. Then how often the result was published.
    attempt        tally.exchange_count      not null default 1,
    failures       tally.exchange_count      not null default 0,
    last_failure   text,
    publications   tally.exchange_count      not null default 0,
    due_at         timestamptz,
    received_at    timestamptz               not null default now(),
    inception_datum timestamptz              not null,
    deadline       timestamptz               not null,

    order_key      text                      collate "C",
    order_number   bigint,
    fingerprint    tally.exchange_digest     not null,
    payload        tally.exchange_payload    not null,
    checkpoint     text                      not null default '',

    -- The producer's over the posting, ours over the receipt, the producer's over the result.
    signature      bytea                     not null,
    receipt        bytea                     not null,
    countersignature bytea,

    -- What every repeat of the posting gets, byte for byte.
    receipt_message bytea                    not null,
    result_message  bytea,

    outcome_digest tally.exchange_digest,
    settled_at     timestamptz,
    audit          text                      not null,

    primary key (consumer, producer, id),
    constraint exchange_received_shape check (
        ack <> 'NACKED_POSTING'
        and (processing = 'PENDING') = (ack = 'ACKED_POSTING')
        and (processing = 'PENDING') = (outcome_digest is null)
        and (processing = 'PENDING') = (result_message is null)
        and (order_key is null) = (order_number is null)
    )
);

create index exchange_received_due on tally.exchange_received (consumer, due_at) where due_at is not null;

-- For forgetting: rows are received in the order of their time.
create index exchange_received_age on tally.exchange_received using brin (received_at);

-- For the next posting of an order key.
create index exchange_received_order on tally.exchange_received (consumer, producer, order_key, order_number)
    where order_key is not null;

-- Postings with an order key: the last number given out (by the producer) or handled (by the consumer).
create table tally.exchange_order (
    producer       tally.exchange_name       not null,
    consumer       tally.exchange_name       not null,
    handled        boolean                   not null,
    order_key      text                      collate "C" not null,
    last_number    bigint                    not null,

    primary key (producer, consumer, handled, order_key)
);

-- Consistency issues: what a side could not act upon. Recorded before it is acknowledged, and never dropped.
create table tally.exchange_issue (
    participant    tally.exchange_name       not null,
    kind           text                      collate "C" not null,
    producer       tally.exchange_name       not null,
    consumer       tally.exchange_name       not null,
    id             tally.exchange_id         not null,
    -- Tells issues of one kind about one posting apart: the SHA-256 of the message, or zeros.
    evidence       tally.exchange_digest     not null,
    message        bytea,
    detail         text                      not null,
    times          bigint                    not null default 1,
    raised_at      timestamptz               not null default now(),
    last_at        timestamptz               not null default now(),
    resolved_at    timestamptz,

    primary key (participant, producer, consumer, id, kind, evidence)
);

create index exchange_issue_open on tally.exchange_issue (participant, raised_at) where resolved_at is null;

-- Whose signatures we accept.
create table tally.exchange_partner (
    participant    tally.exchange_name       not null,
    key_id         text                      collate "C" not null,
    public_key     text                      not null,
    -- How the key became the participant's: a rotation signed by the previous key, or null if an operator said so.
    rotation       text,
    added_at       timestamptz               not null default now(),
    revoked_at     timestamptz,

    primary key (participant, key_id)
);

-- The Postgres transport. Unlogged: what is on its way may be lost.
create unlogged table tally.exchange_packet (
    seq            bigint                    generated always as identity primary key,
    topic          text                      collate "C" not null,
    subject        tally.exchange_name       not null,
    messages       integer                   not null,
    body           bytea                     not null
);

create index exchange_packet_next on tally.exchange_packet (topic, subject, seq);
