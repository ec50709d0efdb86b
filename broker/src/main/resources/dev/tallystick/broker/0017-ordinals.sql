-- The order of acceptance. IDs are made by servers, whose clocks differ: the later message may have the lesser ID. The database
-- gives a message its ordinal while it is accepted, so a message that is sent after another one was acknowledged has the greater
-- ordinal, whichever servers took them. History positions and inboxes follow ordinals.

create sequence tally.message_ordinal;

alter table tally.history add column ordinal bigint not null default 0;
alter table tally.history alter column ordinal set default nextval('tally.message_ordinal');

alter table tally.delivery add column ordinal bigint not null default 0;
alter table tally.delivery alter column ordinal set default nextval('tally.message_ordinal');

-- What is waiting now comes before everything that is accepted later, in the order it had.
update tally.history h
set ordinal = o.ordinal
from (
    select id, row_number() over (order by id) - count(*) over () as ordinal
    from tally.history
    where position is null
) o
where h.id = o.id;

update tally.delivery d
set ordinal = o.ordinal
from (
    select message_id, inbox, dense_rank() over (order by message_id) - count(*) over () as ordinal
    from tally.delivery
    where done_at is null and dead_at is null
) o
where d.message_id = o.message_id and d.inbox = o.inbox;

create index history_without_position on tally.history (ordinal) where position is null;
drop index tally.history_unsequenced;

create index delivery_in_order on tally.delivery (mesh, inbox, priority, ordinal) where done_at is null and dead_at is null;
drop index tally.delivery_open;
