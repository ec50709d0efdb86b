-- One row, made with this table: the identity of all servers on this database. A client that finds another identity at the
-- address of its server talks to another installation, where its keys mean nothing or something else.

create table tally.installation (
    one_row boolean     primary key default true check (one_row),
    id      uuid        not null default gen_random_uuid(),
    made_at timestamptz not null default now()
);

insert into tally.installation default values;
