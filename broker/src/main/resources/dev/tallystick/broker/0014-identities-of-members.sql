-- A name can be given again when its member was removed, an identity cannot: the second alice is alice#2, and what belonged
-- to the first one stays hers. The first to have a name is identified by the name alone.
--
-- Identities stand in tally.key, in schedules, in the inboxes of members (member:alice#2), in tally.mention, in the destination
-- of tally.history, and here. People write names: what is sent to member:alice goes to whoever has the name then.

alter table tally.member add column incarnation int not null default 1;

alter table tally.member add column id text collate "C" not null
    generated always as (name || case when incarnation > 1 then '#' || incarnation::text else '' end) stored;

create unique index member_id on tally.member (mesh, id);

-- How often each name was given, also if nobody has it now.
create table tally.member_name (
    mesh  text collate "C" not null references tally.mesh (name),
    name  text collate "C" not null,
    given int  not null,
    primary key (mesh, name)
);

-- Members that were removed before have left keys behind.
insert into tally.member_name (mesh, name, given)
select mesh, name, 1
from tally.member
union
select k.mesh, k.member, 1
from tally.key k
join tally.mesh m on m.name = k.mesh;

-- Null if it is the sender's name.
alter table tally.message add column sender_id text collate "C";

-- The identity of the member that has leased it; null if the broker has.
alter table tally.delivery add column holder text collate "C";
