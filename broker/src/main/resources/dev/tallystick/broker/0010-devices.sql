-- device    a machine from which a member works, by the public half of a key that is made there and never leaves it. The key names
--           the device and gives it no rights: those are the member's. A key names one device of a mesh; one that is replaced is
--           forgotten, one that is revoked stays here, so that it is not taken for a new one.

create table tally.device (
    mesh          text        collate "C" not null,
    member        text        collate "C" not null,
    name          text        collate "C" not null,
    public_key    bytea       not null,
    registered_at timestamptz not null default now(),
    rotated_at    timestamptz,
    revoked_at    timestamptz,
    primary key (mesh, member, name),
    unique (mesh, public_key),
    foreign key (mesh, member) references tally.member (mesh, name) on delete cascade,
    constraint device_key_length check (octet_length(public_key) = 32)
);
