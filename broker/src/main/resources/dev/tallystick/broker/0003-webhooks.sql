-- Webhooks: inboxes from which the broker itself takes, to call an address of the member's choice.
--
-- A webhook is subscribed to a source (see tally.subscription), so what is for it are ordinary rows of tally.delivery with
-- inbox webhook:ID. The secret signs each call; it has to be kept as it is, for a hash signs nothing.

create table tally.webhook (
    id          text        collate "C" primary key,
    mesh        text        collate "C" not null,
    member      text        collate "C" not null,
    source      text        collate "C" not null,
    url         text        not null,
    secret      bytea       not null,
    created_at  timestamptz not null default now(),
    foreign key (mesh, member) references tally.member (mesh, name) on delete cascade
);

create index webhook_mesh on tally.webhook (mesh, id);

-- What is due for webhooks, one by one: the broker hops from each to the next, and takes the oldest of each.
create index delivery_webhooks on tally.delivery (mesh, inbox, visible_at)
where inbox >= 'webhook:' and inbox < 'webhook;' and done_at is null and dead_at is null;

-- What was given up.
create index delivery_dead on tally.delivery (mesh, message_id, inbox) where dead_at is not null and done_at is null;
