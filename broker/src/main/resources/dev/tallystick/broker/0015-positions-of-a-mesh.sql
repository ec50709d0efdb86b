-- Readers remember positions of their own mesh: one that counted everything would tell each mesh how much the others send.
-- The position of all is for the broker's own followers.

alter table tally.history add column mesh_position bigint;

update tally.history h
set mesh_position = n.place
from (
    select id, row_number() over (partition by mesh order by position) as place
    from tally.history
    where position is not null
) n
where n.id = h.id;

-- The highest position that each mesh has. The sequencer's row is locked while these are raised.
create table tally.history_end (
    mesh     text   collate "C" primary key,
    position bigint not null
);

insert into tally.history_end (mesh, position)
select mesh, max(mesh_position)
from tally.history
where mesh_position is not null
group by mesh;

create unique index history_mesh_position on tally.history (mesh, mesh_position) where mesh_position is not null;
create index history_destination_position on tally.history (mesh, destination, mesh_position)
    where mesh_position is not null;

drop index tally.history_mesh;
drop index tally.history_destination;
