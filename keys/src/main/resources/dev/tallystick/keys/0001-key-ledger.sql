-- The key ledger: one table, one authority on what was already asked for.
--
-- Whoever asks for something names the request with an idempotency key, and repeats the request under the same key
-- until a definite answer comes. A row binds a key to what it stands for. A key is known within its scope, which is
-- (mesh, member, door): no member can probe or block the keys of another, and the doors do not meet.
--
-- Behind door 'accept' are messages and jobs. The row is inserted in the transaction that accepts, so it exists if
-- and only if that transaction committed, and what it answers never changes:
--
--     (no row) ──▶ committed
--
-- Behind door 'reserve' are handlers whose work is not ours to commit. The row is durable before the handler runs:
--
--     (no row) ──▶ pending ──▶ committed | rejected          immutable from then on
--                     │  ▲
--                     │  └── (no row) again, by release: the owner says that nothing happened
--                     ▼
--              outcome_unknown ──▶ committed | rejected | (no row)    by the owner or an operator
--
-- No clock moves a pending row. Its owner may have died with the work done or not done, and only two things tell:
-- a transactional row (the handler's effect and 'committed' share one transaction) that is pending has no effect, and
-- may be released or run again; for any other row, a dead owner means outcome_unknown.
--
-- Who may settle a reservation: the one that shows its original_id, owner and fence. The original_id is new with every
-- reservation, the fence grows when another owner takes a reservation over; a late owner fits neither.
--
-- To read it with plain SQL:
--     select * from tally.key where key = 'web-1:42:9f3a6c0b1d2e4f58';
--     select * from tally.key where status in ('pending', 'outcome_unknown') order by first_seen_at;

-- What one value must be is said by its type, and not by a check of the table: Postgres reads the checks of a table anew for
-- every statement that writes to it, those of a type once in a session.
create domain tally.key_text as text collate "C" check (char_length(value) between 1 and 255);
create domain tally.key_door as text collate "C" check (value in ('accept', 'reserve'));
create domain tally.key_status as text check (value in ('pending', 'committed', 'rejected', 'outcome_unknown'));
create domain tally.key_response as bytea check (octet_length(value) <= 1048576);
create domain tally.key_fence as bigint check (value > 0);
create domain tally.key_fingerprint as bytea check (octet_length(value) = 32);

create table tally.key (
    key               tally.key_text   not null,
    mesh              text             collate "C" not null,
    member            text             collate "C" not null,
    door              tally.key_door   not null,
    status            tally.key_status not null,

    -- SHA-256 of what the key stands for: the same key with another fingerprint is refused.
    fingerprint       tally.key_fingerprint not null,
    -- Where the request went, as 'workflow:order' or 'topic:alerts'; null behind 'reserve'.
    destination       text,
    -- The job or message that the key made; behind 'reserve', the reservation.
    original_id       uuid             not null,
    -- What the first answer needs beyond these columns, so that every repeat gets the same one.
    response          tally.key_response,
    history_id        uuid,
    history_available boolean          not null default false,
    first_seen_at     timestamptz      not null default now(),
    -- When the row may be swept. Null as long as it may not.
    expires_at        timestamptz,

    -- Behind 'reserve' only.
    transactional     boolean          not null default false,
    owner             text             collate "C",
    fence             tally.key_fence,

    -- Every look-up names all four columns, so the one that tells rows apart comes first: one comparison a level
    -- instead of four. This is also the order in which the rows of a batch are inserted and locked.
    primary key (key, mesh, member, door),

    -- What the columns of a row must be together.
    constraint key_shape check (
        (response is null or expires_at is not null)
        and (history_id is not null or not history_available)
        and case door
            when 'accept' then
                status = 'committed' and expires_at is not null and destination is not null
                and owner is null and fence is null
            else
                (status in ('committed', 'rejected')) = (expires_at is not null)
                and owner is not null and fence is not null
        end
    )
);

-- For the sweep. The rows of one batch expire at the same moment, so that this index stays small.
create index key_expiry on tally.key (expires_at) where expires_at is not null;

-- For recovery, by owner, and for whoever asks what is open. Rows leave it when they are settled.
create index key_open on tally.key (owner, first_seen_at) where status in ('pending', 'outcome_unknown');
