-- The outbox of a daemon: one row for each accepted send, never deleted.
--
--   pending -> inflight -> done      the server has it: broker_message_id and history_id say as what
--      ^          |    -> dead       the server refused it for good, or nothing can be known any more: last_error says why
--      +----------+                  tried in vain, or the daemon was killed while it tried
--   pending, dead -> aborted         an operator gave its content a new row and a new id: superseded_by
--
-- A client_message_id that has a row is used for ever. Every update names the status that it expects.
-- Times are milliseconds since 1970.

create table outbox (
    -- The order of acceptance. Rows of one destination are delivered in this order.
    position            integer primary key,
    id                  text    not null unique check (length(id) = 26),
    client_message_id   text    not null unique,
    -- SHA-256 of the request, computed once at acceptance; never computed from the payload.
    request_fingerprint blob    not null check (length(request_fingerprint) = 32),
    destination         text    not null,
    -- Canonical JSON, as POST /v1/messages takes it. Empty once it is dropped.
    payload             blob    not null,
    -- Of a job: version, not_before, attributes. Not part of the fingerprint.
    options             text,
    traceparent         text,
    -- CRC-32C of key, fingerprint, destination, payload and options: a changed bit is found before it is sent.
    checksum            integer not null,
    enqueued_at         integer not null,
    attempts            integer not null default 0,
    -- When the first attempt began that may have reached the server; null while it is certain that none has.
    first_attempt_at    integer,
    next_attempt_at     integer not null,
    status              text    not null check (status in ('pending', 'inflight', 'done', 'dead', 'aborted')),
    last_error          text,
    delivered_at        integer,
    broker_message_id   text,
    history_id          text,
    aborted_at          integer,
    aborted_by          text,
    -- The id of the row that replaces this one.
    superseded_by       text,
    payload_dropped_at  integer,
    check (payload_dropped_at is null or status in ('done', 'aborted'))
) strict;

-- Partial indexes: a million delivered rows weigh nothing, and a new row enters only the first.
create index outbox_pending on outbox (destination, position) where status = 'pending';
create index outbox_attended on outbox (status, position) where status in ('inflight', 'dead');
create index outbox_superseding on outbox (superseded_by) where superseded_by is not null;

-- What the daemon knows about its server: the pinned identities, and its features as last seen.
create table setting (
    name  text not null primary key,
    value text not null
) strict;
