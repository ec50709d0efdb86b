-- Documents of the exchange that are to be sealed.
--
--   exchange_sealing   at most one row. While it exists, documents are queued; without it nothing below is ever written.
--   exchange_document  one row for each statement that recorded documents, written by that statement, so it commits if and only if
--                      they do. `participant` is whose books they are in. `event` says which documents became part of them:
--
--                          producer   POSTED            the posting
--                                     RECEIPTED         the receipt
--                                     SETTLED           the result and its acknowledgement
--                                     SETTLED_AT_ONCE   the receipt, the result and its acknowledgement
--                          consumer   RECEIVED          the posting and its receipt
--                                     DECIDED           the result
--                                     ACKNOWLEDGED      the acknowledgement
--
--                      `ids` are the postings; `producers` stand beside them in the books of a consumer, and are null otherwise.
--
-- A document that follows from another is recorded after the other has committed, so a reader that takes the smallest `seq` it can
-- see takes the documents of a posting in order.

create table tally.exchange_sealing (
    one_row     boolean             primary key default true check (one_row),
    begun_at    timestamptz         not null default now()
);

create table tally.exchange_document (
    seq         bigint              generated always as identity primary key,
    participant tally.exchange_name not null,
    event       text                collate "C" not null check (event in (
        'POSTED', 'RECEIPTED', 'SETTLED', 'SETTLED_AT_ONCE', 'RECEIVED', 'DECIDED', 'ACKNOWLEDGED')),
    producers   text[],
    ids         text[]              not null,
    queued_at   timestamptz         not null default now()
);
